"""What fails the test of a page: a script of it that fails, and asking another machine for anything."""


def test_a_page_that_asks_another_machine_is_told_of(new_page, app_url, faults):
    page = new_page()
    page.goto(f"{app_url}/favicon.ico")
    asked = "https://another.example/picture.png"
    page.evaluate("(address) => { new Image().src = address; }", asked)
    page.evaluate("setTimeout(() => { throw new Error('a fault'); })")
    for _ in range(600):
        if len(faults) == 2:
            break
        page.wait_for_timeout(20)
    told = sorted(faults)
    faults.clear()
    assert told == ["a fault", f"asked another machine: {asked}"]
