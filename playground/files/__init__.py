"""Files of a tokenizer that other tools load, a module a format; `registry` is the table of them."""
