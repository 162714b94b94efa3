"""Logs are read as their clients write them; turns are counted as their requests alone are, and compared."""

import json
from pathlib import Path

import pytest

from playground.analysis.cache_diff import cacheable
from playground.analysis.chat_counts import chat_model_named, count_chat
from playground.analysis.request_logs import Usage, read_log
from playground.analysis.xray import examine, text_of
from playground.catalog.models import find_model
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError

#: Requests that the SDKs openai 3.57, anthropic 2.14 and google-genai 3.6.1 sent to a local server.
REQUESTS = {
    path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "requests").iterdir()
}
WEATHER = {
    "name": "get_weather",
    "description": "Get the weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "The city"}}},
}


def request(system="Be brief.", user="Weather?", tools=(WEATHER,), **more):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    functions = [{"type": "function", "function": tool} for tool in tools]
    return {"model": "gpt-4o", "messages": messages, "tools": functions, **more}


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def sums(report, turn=-1):
    found: dict[str, int] = {}
    for first, last in report.turns[turn].ranges:
        for piece in report.pieces[first:last]:
            found[piece.kind] = found.get(piece.kind, 0) + piece.n_tokens
    return found


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_of_each_sdk_has_the_count_of_the_chat_and_all_its_kinds(name):
    row = REQUESTS[name]
    [turn] = (report := examine(json.dumps(row), "gpt-4o")).turns
    [logged] = read_log(json.dumps(row)).turns
    found = count_chat(logged.request, chat_model_named(logged.request.model, get_tokenizer))
    assert (turn.n_tokens, turn.model) == (found.n_tokens, found.name)
    assert sums(report).keys() >= {"system", "user", "call", "result", "tool"}
    assert ("image" in sums(report)) == (name != "openai_responses")
    assert [piece.label for piece in report.pieces if piece.kind == "result"] == ["get_weather"]


@pytest.mark.parametrize("name", ["gpt-4o", "gemini-3.5-flash", "kimi-k2", "qwen3", "claude-opus-5"])
def test_each_turn_of_a_log_has_the_count_of_its_request_alone(name):
    rows = [request(user="a" * n, tools=[WEATHER] * (n > 1), model=name) for n in (1, 2, 3)]
    report = examine(lines(*rows), "gpt-4o")
    for turn, row in zip(report.turns, rows, strict=True):
        [alone] = examine(json.dumps(row), "gpt-4o").turns
        assert (turn.n_tokens, turn.mark, turn.unknown) == (alone.n_tokens, alone.mark, alone.unknown)


def claude_code(kind, parent, uuid, content, **more):
    role = {"role": kind, "content": content, **more}
    return {"type": kind, "parentUuid": parent, "uuid": uuid, "sessionId": "s", "isSidechain": False,
            "timestamp": f"at {uuid}", "message": role}  # fmt: skip


def answer(parent, uuid, block, identity, **usage):
    return claude_code("assistant", parent, uuid, [block], id=identity, model="claude-opus-4-8", usage=usage)


def call(name):
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"path": name}}


def result(name, content):
    return [{"type": "tool_result", "tool_use_id": name, "content": content}]


SESSION = [
    {"type": "summary", "summary": "s", "leafUuid": "x"},
    claude_code("user", None, "1", "Read both."),
    answer("1", "2", call("a"), "m1", input_tokens=9, cache_read_input_tokens=90, output_tokens=5),
    answer("2", "3", call("b"), "m1", input_tokens=9, cache_read_input_tokens=90, output_tokens=5),
    claude_code("user", "2", "4", result("a", "one")),
    claude_code("user", "3", "5", result("b", "two")),
    answer("5", "6", {"type": "text", "text": "Done."}, "m2", input_tokens=120),
    {**claude_code("user", None, "7", "a subagent"), "isSidechain": True},
    claude_code("user", "1", "8", "Read neither."),
    answer("8", "9", {"type": "text", "text": "No."}, "m3", input_tokens=20),
]


def test_a_session_of_claude_code_has_a_turn_for_each_answer_on_its_branch():
    log = read_log(lines(*SESSION))
    assert log.form == "a session of Claude Code"
    contents = [[(m.role, m.content) for m in turn.request.messages] for turn in log.turns]
    assert contents == [
        [("user", "Read both.")],
        [("user", "Read both."), ("assistant", ""), ("assistant", ""), ("tool", "one"), ("tool", "two")],
        [("user", "Read both."), ("user", "Read neither.")],
    ]
    assert [turn.usage and turn.usage.n_input for turn in log.turns] == [99, 120, 20]
    assert log.problems == ("1 line of subagents, which have contexts of their own",)
    report = examine(lines(*SESSION), "gpt-4o")
    assert report.broken == [2], "the reader went back"
    assert "the system prompt and the tools" in report.turns[0].unknown[0]


def test_a_session_of_codex_has_a_turn_for_each_reported_request():
    def item(**payload):
        return {"type": "response_item", "payload": payload}

    usage = {"input_tokens": 50, "cached_input_tokens": 40, "output_tokens": 3}
    counted = {"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": usage}}}
    rows = [
        {"type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "You are Codex."}}},
        {"type": "turn_context", "payload": {"model": "gpt-5.4"}},
        item(type="message", role="user", content=[{"type": "input_text", "text": "List."}]),
        item(type="reasoning", summary=[], encrypted_content="x"),
        item(type="function_call", name="shell", arguments='{"cmd":"ls"}', call_id="c"),
        counted,
        item(type="function_call_output", call_id="c", output="a.txt"),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "a.txt"}]),
        counted,
    ]
    log = read_log(lines(*rows))
    assert [[m.role for m in turn.request.messages] for turn in log.turns] == [
        ["system", "user"],
        ["system", "user", "assistant", "tool"],
    ]
    assert log.turns[0].request.model == "gpt-5.4"
    assert log.turns[0].usage == Usage(50, 40, None, 3)
    assert examine(lines(*rows), "gpt-4o").broken == []


def test_bad_lines_are_named_and_left_out():
    log = read_log(lines(request(), request()) + "{oops\n" + lines({"a": 1}))
    assert len(log.turns) == 2
    assert [problem.split(":")[0] for problem in log.problems] == ["line 3", "line 4"]
    with pytest.raises(InvalidInputError, match="no request was found"):
        read_log(lines({"a": 1}, {"b": 1}))


#: Tokens of OpenAI's formula that a request has once: the end of the tools, the opening of the answer.
N_ENDS = 12 + 3


def exchange(url, body, answer):
    """Return an entry of a HAR file, in the format's version 1.2."""
    return {
        "startedDateTime": "2026-11-28T10:00:00Z",
        "request": {"method": "POST", "url": url, "postData": {"text": json.dumps(body)}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": answer}},
    }


def test_a_har_file_has_a_turn_for_each_request_to_a_chat_api():
    stream = (
        'event: message_start\ndata: {"type": "message_start", "message": {"usage": {"input_tokens": 9}}}\n\n'
        'data: {"type": "message_stop"}\n\n'
    )
    gemini = {"contents": [{"parts": [{"text": "Hi"}]}]}
    entries = [
        {"request": {"method": "GET", "url": "https://a/x.css"}, "response": {"status": 200}},
        exchange("https://a/log", {"event": "click"}, "{}"),
        exchange("https://a/v1/messages", request(model="claude-opus-4-8"), stream),
        exchange("https://a/v1beta/models/gemini-3.5-flash:generateContent", gemini, "<html>"),
        exchange("https://a/v1/chat/completions", request(), '{"usage": {"prompt_tokens": 7}}'),
    ]
    for indent in (None, 2):
        log = read_log(json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=indent))
        assert log.form == "requests of a HAR file"
        assert [(turn.request.model, turn.usage) for turn in log.turns] == [
            ("claude-opus-4-8", Usage(9)), ("gemini-3.5-flash", None), ("gpt-4o", Usage(7)),
        ]  # fmt: skip
        assert log.turns[0].title == "2026-11-28T10:00:00Z"
    with pytest.raises(InvalidInputError, match="no request to a chat API"):
        read_log(json.dumps({"log": {"entries": entries[:2]}}))


def compared(first, second):
    """Return the tokens of the first of two requests, and the difference."""
    before, after = examine(lines(first, second), "gpt-4o").turns
    assert after.diff is not None
    return before.n_tokens, after.diff


OTHER = {**WEATHER, "name": "get_time"}
TURNED = dict(reversed(WEATHER.items()))
THOUGHT = {"role": "assistant", "content": "<think>hm</think>4"}


@pytest.mark.parametrize(
    ("first", "second", "place", "cause"),
    [
        (request("It is 2026-11-28."), request("It is 2026-11-29."), "message 1, system", "a date or a time"),
        (request(tools=[WEATHER, OTHER]), request(tools=[OTHER, WEATHER]), "tool get_weather", "other order"),
        (request(tools=[WEATHER]), request(tools=[TURNED]), "tool get_weather", "same keys in another order"),
        (request(), request(tools=[WEATHER, OTHER]), "message 1, system", "1 tool before, 2 now"),
        (request("a b"), request("a  b"), "message 1, system", "only white space"),
        (request("id 0123456789abcdef0"), request("id 0123456789abcdef1"), "message 1, system", "an id"),
        (request("a"), request("b"), "message 1, system", "the system prompt was edited"),
        (request(user="a"), request(user="b"), "message 2, user", "an earlier message was edited"),
        (request(model="gpt-4o"), request(model="gpt-5"), "the model", "belongs to one model"),
        (
            {"messages": [THOUGHT]}, {"messages": [{**THOUGHT, "content": "4"}]},
            "message 1, assistant", "<think> … </think>",
        ),
    ],
)  # fmt: skip
def test_what_broke_the_prefix_is_named(first, second, place, cause):
    _, diff = compared(first, second)
    assert (diff.place, cause in diff.cause) == (place, True), diff.cause


@pytest.mark.parametrize(
    ("before", "after", "n_shared", "cause"),
    [
        ("Rule: indivis", "Rule: indivisible", 3, "a merge across the boundary"),
        ("12", "123", 0, "a merge across the boundary"),
        ("Hello", "Hello you", 1, "the text goes on here"),
    ],
)
def test_a_text_that_goes_on_shares_the_ids_that_tiktoken_0_14_gives_to_both(before, after, n_shared, cause):
    _, diff = compared(request(before, tools=()), request(after, tools=()))
    assert (diff.n_shared, diff.cause.split(":")[0]) == (n_shared, cause)


def test_one_text_in_other_parts_is_named():
    parts = [{"type": "text", "text": text} for text in ("un", "able")]
    _, diff = compared(request(user=parts), request(user="unable"))
    assert (diff.place, diff.cause) == ("message 2, user", "the same text is cut into other parts")


def test_what_a_template_removes_breaks_the_prefix():
    """Qwen3's template drops the reasoning of an answer once another question follows it."""
    asked = {"role": "user", "content": "4?"}
    first = {"model": "qwen3", "messages": [asked, THOUGHT]}
    _, diff = compared(first, {**first, "messages": [asked, THOUGHT, asked]})
    same = "<|im_start|>user\n4?<|im_end|>\n<|im_start|>assistant\n"
    special = frozenset({"<|im_start|>", "<|im_end|>"})
    assert diff.n_shared == len(get_tokenizer("qwen3").encode(same, allowed_special=special))
    assert (diff.place, "removes <think>" in diff.cause) == ("message 2, assistant", True), diff.cause
    kept = {"model": "deepseek_v3", "messages": [asked]}
    n_before, diff = compared(
        kept, {**kept, "messages": [asked, {"role": "assistant", "content": "4"}, asked]}
    )
    assert (diff.is_kept, diff.n_shared) == (True, n_before), "the opening of the answer is a beginning too"


def test_a_kept_prefix_shares_the_whole_turn_before_it():
    first = request()
    second = {**first, "messages": [*first["messages"], {"role": "user", "content": "And now?"}]}
    n_before, diff = compared(first, second)
    assert (diff.is_kept, diff.n_shared) == (True, n_before - N_ENDS)


def test_a_changed_date_costs_what_came_after_it():
    text = "word " * 2000
    first, second = (request(f"On 2026-11-2{day}. {text}") for day in (8, 9))
    n_before, diff = compared(first, second)
    assert diff.n_cacheable == 0, "under 1,024 tokens"
    assert diff.n_shared + diff.n_lost == n_before - N_ENDS
    assert diff.lost_dollars == pytest.approx(diff.n_lost * (2.5 - 1.25) / 1e6), "the prices of GPT-4o"


@pytest.mark.parametrize(
    ("name", "n_tokens", "n_cacheable"),
    [
        ("gpt-4o", 1023, 0), ("gpt-4o", 1300, 1280), ("gpt-5.6", 1300, 1300), ("claude-opus-5", 512, 512),
        ("claude-opus-4-7", 2047, 0), ("claude-haiku-4-5", 4096, 4096), ("gemini-3.5-flash", 4095, 0),
        ("gemini-2.5-pro", 2048, 2048), ("claude-opus-5-5", 9000, None), ("qwen3", 9, None),
        ("gpt-4", 9000, None),
    ],
)  # fmt: skip
def test_a_cache_keeps_what_the_makers_rules_say(name, n_tokens, n_cacheable):
    assert cacheable(n_tokens, find_model(name))[0] == n_cacheable


def test_advice_is_measured():
    report = examine(json.dumps(request(user=json.dumps({"rows": [1] * 200}, indent=8))), "gpt-4o")
    advice = {report.pieces[one.piece].label: one.advice for one in report.costliest}
    bare = {**WEATHER, "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    del bare["description"]
    with_bare = examine(json.dumps(request(tools=[bare])), "gpt-4o")
    [tool] = [piece for piece in with_bare.pieces if piece.label == "get_weather"]
    assert advice["get_weather"] == f"without descriptions {tool.n_tokens} tokens"
    compact = len(get_tokenizer("o200k_base").encode(json.dumps({"rows": [1] * 200}, separators=(",", ":"))))
    assert f"as compact JSON: {compact:,} instead of" in advice["user"]


def test_the_costliest_parts_are_parts_of_a_turn():
    report = examine(json.dumps(request(model="qwen3")), "gpt-4o")
    assert all(report.pieces[one.piece].n_turns for one in report.costliest)


def test_the_text_of_a_piece_is_that_of_its_first_turn():
    log = read_log(lines(*SESSION))
    report = examine(lines(*SESSION), "gpt-4o")
    texts = {text_of(log, piece) for piece in report.pieces if piece.kind in ("result", "user", "call")}
    assert texts == {"Read both.", "one", "two", "Read neither.", 'Read\n{"path":"a"}', 'Read\n{"path":"b"}'}


def test_a_long_log_for_a_slow_tokenizer_is_an_estimate_near_the_count(monkeypatch):
    from playground.analysis import xray

    text = Path(__file__).read_text()
    rows = lines(*(request(user=text[n : n + 3000], model="claude-opus-4-8") for n in range(0, 9000, 3000)))
    counted = examine(rows, "gpt-4o").turns[-1]
    monkeypatch.setattr(xray, "MAX_SLOW_CHARS", 1_000)
    estimated = examine(rows, "gpt-4o")
    assert "estimated from a sample" in " ".join(estimated.how)
    assert estimated.turns[-1].n_tokens == pytest.approx(counted.n_tokens, rel=0.1)
