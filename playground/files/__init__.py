"""Files of a tokenizer that other tools load, a module a format; `table` lists them."""
