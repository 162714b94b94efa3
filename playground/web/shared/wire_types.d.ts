// What Python declares. Written by `python -m scripts.write_wire_types`; change it there.

export type Agreement = {
  in_all: number;
  in_some: number;
  in_one: number;
};

export type Alternative = {
  text: string;
  name: string;
  is_on: boolean;
};

export type BarData = {
  page: string;
  theme: "light" | "dark";
  is_large: boolean;
};

export type BarEvent = "themed" | "resized";

export type BuildData = {
  python: string;
  fresh: string;
  megabytes: number;
  notebooks: string;
  text: string;
  steps: StepData[];
  milestones: MilestoneData[];
};

export type CacheDiff = {
  n_shared: number;
  n_lost: number;
  place: string;
  cause: string;
  before: string;
  old: string;
  new: string;
  n_cacheable: number | null;
  rule: string;
  lost_dollars: number | null;
  is_kept: boolean;
};

export type Case = {
  expression: string;
  value: string;
  shown: string;
};

export type CategoryNames = ['letters', 'whitespace', 'digits', 'punctuation', 'special', 'other'];

export type ChartData = {
  chart: string;
  file_name: string;
};

export type CheckedAnswer = {
  is_right: boolean;
  hint: string;
};

export type ChosenRow = {
  name: string;
  label: string;
  tokenizer: string;
  detail: string;
};

export type ChunkHead = {
  labels: Record<string, string>;
  candidates: [number, [number, number, number, number, string][]][];
  lines: Record<string, number[]>;
};

export type CodePoint = {
  code_point: string;
  name: string;
  utf8: string;
  utf16: string;
  utf32: string;
};

export type CompareChange = {
  version: number;
  rows: any[];
  agreement: Agreement;
};

export type CompareData = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
  colors: string[];
  models: ComparedModel[];
  prices_date: string;
};

export type CompareEvent = "settled" | "lost";

export type CompareRequests = {
  open: {
    text: string;
  };
  edit: {
    version: number;
    start: number;
    n_deleted: number;
    inserted: string;
  };
  csv: {};
  page: {
    layout: "aligned" | "cards";
  };
};

export type ComparedModel = {
  name: string;
  detail: string;
  input_price: number | null;
};

export type ComparisonRow = {
  tokenizer_name: string;
  n_vocab: number;
  n_tokens: number;
  n_bytes: number;
  n_characters: number;
  n_words: number;
  shared_boundaries: number;
  tokens_against_first: number;
  bytes_per_token: number;
  characters_per_token: number;
  tokens_per_word: number;
};

export type Costly = {
  piece: number;
  n_tokens_in_all: number;
  dollars: number | null;
  advice: string;
};

export type CsvAnswer = {
  csv: string;
};

export type Cutting = {
  own: string;
  off: number[];
};

export type DrawnPretoken = {
  text?: string;
  leaves?: string[];
  pair_ranks?: (number | null)[];
  steps?: [number, number, number | null, number | null, string][];
  ids?: number[];
  is_whole?: boolean;
  svg: string;
};

export type EarlierVersion = {
  n_tokens: number;
};

export type EditorChange = {
  version: number;
  first: number;
  n_removed: number;
  totals: EditorTotals;
};

export type EditorData = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
  special: SpecialTokens;
  has_special: boolean;
  templates: string[];
  model: ModelFigures | null;
};

export type EditorEvent = "settled" | "lost" | "elsewhere" | "special" | "model";

export type EditorRequests = {
  open: {
    text: string;
    mode?: "text" | "chat" | "ids" | null;
    honours_special?: boolean | null;
    messages?: Record<string, any>[] | null;
    template_name?: string | null;
    add_generation_prompt?: boolean | null;
    variables?: string | null;
    ids_text?: string | null;
    cutting?: Cutting | null;
    tools?: Record<string, any>[] | null;
    elsewhere?: string[] | null;
  };
  edit: {
    version: number;
    start: number;
    n_deleted: number;
    inserted: string;
  };
  chat: {
    messages: Record<string, any>[] | null;
    template_name: string | null;
    tools: Record<string, any>[] | null;
    elsewhere: string[] | null;
    add_generation_prompt: boolean | null;
    variables: string | null;
  };
  read_chat: {
    pasted: string;
    number?: number;
  };
  ids: {
    ids_text: string | null;
  };
  settings: {
    mode?: "text" | "chat" | "ids" | null;
    honours_special?: boolean | null;
    messages?: Record<string, any>[] | null;
    template_name?: string | null;
    add_generation_prompt?: boolean | null;
    variables?: string | null;
    ids_text?: string | null;
    cutting?: Cutting | null;
    tools?: Record<string, any>[] | null;
    elsewhere?: string[] | null;
  };
  earlier: {
    earlier: string;
  };
  inspect: {
    n_lone_surrogates: number;
  };
  token: {
    index: number;
  };
  facts: {
    ids: number[];
  };
  cuts: {
    version: number;
    pieces: number[];
  };
  expensive: {};
  snippet: {
    kind: string;
  };
  page: {
    view: TokenView;
  };
  vocabulary_file: {
    file: string;
  };
};

export type EditorState = {
  mode: "text" | "chat" | "ids";
  version: number;
  messages: Message[];
  ids_text: string;
  cutting: Cutting;
  special_ids: number[];
  totals: EditorTotals;
  raw?: string;
  error?: string | null;
  message_tokens?: [number, number, number][];
  tools: Tool[];
  elsewhere: string[];
  parts?: Part[];
  sum?: string;
  how?: string;
  read?: ReadChat;
  notes?: string[];
  asks_for?: string[];
  is_jinja?: boolean;
  template_tokens?: [number, number][];
};

export type EditorTotals = {
  tokenizer: string;
  version: number;
  n_tokens: number;
  counts: SentCounts;
  categories: number[];
  mark?: "" | "≈" | "at least" | "at least ≈";
  beside?: string;
  n_around?: number;
  around?: string;
  honours_special?: boolean;
  n_tokens_plain?: number;
  n_tokens_special?: number;
};

export type ExpectAnswer = {
  model: string;
  n_vocab: number;
  ids: number[];
  lengths: number[];
  expected: TokenExpected[];
  named: Record<string, NamedToken>;
  n_left_out: number;
  is_over: boolean;
};

export type ExpectData = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
  model: ShownModel | null;
  is_own_server: boolean;
  folder: string;
  experiments: ShownExperiment[];
};

export type ExpectEvent = "lost" | "changed";

export type ExpectRequests = {
  read: {
    side: string;
    parts: string[];
  };
  open_part: {};
  close_own: {};
  fetch: {};
  fetching: {};
  stop_fetching: {};
};

export type ExpensiveWord = {
  word: string;
  n_times: number;
  n_tokens_each: number;
  n_tokens: number;
  why: string;
};

export type ExpensiveWords = {
  words: ExpensiveWord[];
};

export type FetchState = {
  is_over: boolean;
  part: number;
  what: string;
  problem: string;
};

export type FileData = {
  label: string;
  file_name: string;
  content: string | null;
  is_base64: boolean;
  press: number;
};

export type FormatsData = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
};

export type FormatsEdited = {
  version: number;
};

export type FormatsEvent = "settled" | "lost";

export type FormatsRequests = {
  open: {
    text: string;
    name?: string;
  };
  edit: {
    version: number;
    start: number;
    n_deleted: number;
    inserted: string;
    name?: string;
  };
  file: {};
};

export type FreshCases = {
  setup: string;
  cases: Case[];
};

export type GuessData = {
  asks: string;
  options: string[];
  right: number;
};

export type Inspection = {
  warnings: TextWarning[];
  special_spelled: string[];
  special_elsewhere: string[];
};

export type LearnData = {
  url: string;
  app: string;
  lessons: LessonData[];
  moved: Record<string, string>;
};

export type LearnEvent = "lost";

export type LearnRequests = {
  show: {
    lesson: string;
    values?: Record<string, any>;
  };
  check: {
    lesson: string;
    values?: Record<string, any>;
    guess: string;
  };
  poll: {
    lesson: string;
    is_revealed: boolean;
    app: string;
  };
  code: {
    lesson: string;
  };
  notebook: {
    lesson: string;
    values?: Record<string, any>;
  };
};

export type LessonCode = {
  code: string;
};

export type LessonData = {
  slug: string;
  number: number;
  title: string;
  claim: string;
  guess: GuessData;
  minutes: number;
  time: string;
  figure: string;
  in_class: boolean;
  has_question: boolean;
  asked_at: number;
  told_at: number;
  steps: string[];
  inputs: Record<string, any>[];
  sets: Record<string, any>[];
  try_this: string;
  say: string;
  ask: string;
  expect: string;
};

export type LessonLink = {
  title: string;
  page: string;
  state: Record<string, any>;
};

export type LessonNotebook = {
  name: string;
  text: string;
};

export type LiveText = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
};

export type Media = {
  kind: string;
  width: number;
  height: number;
  detail: string;
};

export type MergeTreeData = {
  url: string;
  version: number;
  revision: number;
  text_revision: number;
  given: string | null;
  max_bytes: number;
  examples: ShownExample[];
  tokenizer: string;
  view: "trees" | "race";
  tree_css: string;
};

export type MergeTreeEvent = "lost" | "settled";

export type MergeTreeRequests = {
  draw: {
    text: string;
    height_by?: "depth" | "order";
    epoch?: string;
  };
  page: {
    text: string;
    height_by: "depth" | "order";
    step: number;
  };
};

export type MergeTreesAnswer = {
  intro: string;
  pretokens: number[];
  new: Record<string, DrawnPretoken>;
  n_tokens: number;
  n_inserted: number;
  n_merges: number;
  n_tries: number;
  n_pieces: number;
  why: string;
  limit: string;
  problem: string;
  epoch: string;
  revision: number;
  version: number;
};

export type Message = {
  role: string;
  content: string;
  fields: string;
  media: Media[];
};

export type MilestoneData = {
  title: string;
  steps: string[];
};

export type ModelFigures = {
  name: string;
  context_tokens: number | null;
  input_price: number | null;
  output_price: number | null;
  date: string;
};

export type NamedToken = {
  shown: string;
  typed: string;
};

export type Note = {
  kind: "info" | "warning" | "error";
  text: string;
};

export type OpenState = {
  is_over: boolean;
  opened: string[];
  messages: string[];
  refused: string[];
};

export type Opened = {
  is_open: boolean;
};

export type OpenedFile = {
  text: string;
  note: string;
};

export type PackedTokenizer = {
  packed: string;
  about: string;
};

export type Part = {
  kind: "system" | "user" | "assistant" | "reasoning" | "call" | "result" | "other" | "tool" | "image" | "frame";
  label: string;
  n_tokens: number;
  message: number | null;
  mark: "" | "≈" | "at least" | "at least ≈";
};

export type PatternCuts = {
  can_change: boolean;
  alternatives: Alternative[];
  cuts: number[][];
};

export type PickerData = {
  url: string;
  label: string;
  chosen: ChosenRow[];
  default: string[];
  missing: Record<string, string>;
  address: Record<string, string>;
  n_max: number;
  at: number;
  is_main: boolean;
  visitor_tokenizers: Record<string, string>;
  patterns: string[];
};

export type PickerEvent = "chosen" | "changed";

export type PickerGroup = {
  title: string;
  rows: PickerRow[];
};

export type PickerList = {
  groups: PickerGroup[];
  first: string;
  sentence: string;
};

export type PickerRequests = {
  search: {
    typed: string;
  };
  open: {};
  open_local: {
    name: string;
  };
  opening: {};
  stop: {};
  rename: {
    name: string;
    new_name: string;
  };
  remove: {
    name: string;
  };
  file: {
    name: string;
  };
  pack: {
    name: string;
  };
  give_back: {
    name: string;
    version: string;
    packed: string;
  };
};

export type PickerRow = {
  name: string;
  label: string;
  tokenizer: string;
  detail: string;
  badge: "exact" | "reconstructed" | "needs a file" | "not published" | "your file" | "on this machine" | "";
  note: string;
};

export type Piece = {
  kind: "system" | "user" | "assistant" | "reasoning" | "call" | "result" | "other" | "tool" | "image" | "frame";
  label: string;
  n_tokens: number;
  mark: "" | "≈" | "at least" | "at least ≈";
  turn: number;
  tool: number | null;
  message: number | null;
  n_turns: number;
};

export type PieceText = {
  text: string;
};

export type PlainTreesData = {
  trees: string[];
  file_name: string;
  tree_css: string;
};

export type PollState = {
  address: string;
  qr: string;
  problem: string;
  votes: number[];
};

export type ReadChat = {
  recognized: string;
  number: number;
  n_chats: number;
  model: string;
  problem: string;
};

export type RefusedChat = {
  refused: string;
};

export type RefusedLog = {
  refused: string;
};

export type Report = {
  form: string;
  how: string[];
  pieces: Piece[];
  turns: ShownTurn[];
  costliest: Costly[];
  problems: string[];
  broken: number[];
};

export type RowChange = {
  first: number;
  n_removed: number;
  pieces: [number, number, number][];
};

export type RunCut = {
  run: number;
  follows: "merges" | "rows" | "states";
  states: [number[], number[]][][];
};

export type RunView = {
  number: number;
  title: string;
  name: string;
  corpus: string;
  pattern: string;
  step: string;
  size: number;
  last: number;
  is_over: boolean;
  n_bytes: number;
  n_held_out_bytes: number;
  score_name: string;
  references: Record<string, number>;
  chunks: ChunkHead[];
};

export type SaveEvent = "press";

export type SavedFile = {
  file_name: string;
  html: string;
};

export type SentCounts = {
  n_characters: number;
  n_bytes: number;
  n_words: number;
  n_lines: number;
};

export type ShownExample = {
  title: string;
  text: string;
  notice: string;
};

export type ShownExperiment = {
  title: string;
  text: string;
  notice: string;
  second: string;
  cuts: number[];
};

export type ShownLesson = {
  figure: Record<string, any>;
  asks: string;
  answer: string;
  begins_with: "digit" | "letter" | "space";
  needs: string;
  links: LessonLink[];
};

export type ShownModel = {
  name: string;
  n_weights: number;
  memory_bytes: number;
  is_own: boolean;
};

export type ShownTurn = {
  title: string;
  model: string;
  n_tokens: number;
  mark: "" | "≈" | "at least" | "at least ≈";
  ranges: [number, number][];
  unknown: string[];
  dollars: number | null;
  usage: Usage | null;
  diff: CacheDiff | null;
};

export type Snippet = {
  snippet: string;
  file: string;
};

export type SpecialTokens = {
  text: string;
  used: [string, number][];
  problems: string[];
};

export type StepData = {
  slug: string;
  title: string;
  task: string[];
  stub: string;
  solution: string;
  given: string;
  tests: string;
  cases: TestData[];
  names: string[];
  figure: string;
  notebook: string;
};

export type TestData = {
  name: string;
  source: string;
};

export type TextWarning = {
  kind: string;
  count: number;
  sentence: string;
};

export type TokenDetails = {
  id: number;
  text: string | null;
  character: string;
  hex: string;
  spelled: string;
  is_in_byte_letters: boolean;
  code_points: CodePoint[];
  rank: number | null;
  is_special: boolean;
  byte_start: number;
  byte_end: number;
  char_start: number;
  char_end: number;
  n_occurrences: number;
  variants: Variant[];
  unstable: Unstable | null;
};

export type TokenExpected = {
  bits: number;
  rank: number;
  likeliest: [number, number][];
};

export type TokenFacts = {
  ranks: (number | null)[];
  categories: number[];
};

export type TokenListData = {
  url: string;
  revision: number;
  n_rows: number;
  chosen: number;
};

export type TokenListEvent = "chosen" | "lost";

export type TokenRow = {
  id: number;
  text: string;
  n_bytes: number;
  script: string;
};

export type TokenRows = {
  revision: number;
  first: number;
  rows: TokenRow[];
};

export type TokenView = {
  label: "text" | "both" | "ids" | "bytes";
  colorBy: "position" | "id" | "rank" | "bytes" | "category" | "pattern";
  marks: boolean;
};

export type Tool = {
  name: string;
  text: string;
};

export type TrainCuts = {
  sample: "held_out" | "training" | "own";
  text: string;
  word: string;
  runs: RunCut[];
};

export type TrainData = {
  url: string;
  started: number;
  result: string;
  chosen: [number, number] | null;
};

export type TrainEvent = "settled" | "lost";

export type TrainRequests = {
  look: {
    runs: number[];
    n_chunks: number[];
  };
  cuts: {
    sample: "held_out" | "training" | "own";
    own_text: string;
  };
  trees: {
    word: string;
  };
  page: {
    sample: "held_out" | "training" | "own";
    own_text: string;
    word: string | null;
    unit: "times" | "share" | "saved";
    step: number;
  };
  stop: {};
};

export type TrainTrees = {
  word: string;
  trees: string[];
  leaves: number[];
  cut: RunCut | null;
};

export type TrainView = {
  status: string;
  is_changing: boolean;
  result: string;
  share: number;
  progress: string;
  notes: Note[];
  starts_paused: boolean;
  samples: ("held_out" | "training" | "own")[];
  runs: RunView[];
};

export type Unstable = {
  n_tokens: number;
  n_completions: number;
  first: string[];
};

export type UnusableInput = {
  problem: string;
};

export type Usage = {
  n_input: number;
  n_cache_read: number | null;
  n_cache_write: number | null;
  n_output: number | null;
};

export type Variant = {
  text: string;
  ids: number[];
};

export type VocabularyRequests = {
  rows: {
    first: number;
    n_rows: number;
  };
};

export type XrayAnswer = {
  report: Report;
  n_characters: number;
  is_example: boolean;
};

export type XrayData = {
  url: string;
  revision: number;
  max_bytes: number;
};

export type XrayEvent = "lost" | "elsewhere";

export type XrayRequests = {
  open: {};
  read: {};
  text: {
    piece: number;
  };
};
