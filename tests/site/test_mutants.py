"""The script that breaks the package: what it breaks, and that its exceptions are not stale."""

import ast

import mutants


def changes_of(code):
    return [m.change for m in mutants.python_mutants("x.py", f"def f(a, b):\n    {code}\n")]


def test_comparisons_operators_constants_and_statements_are_broken():
    found = changes_of("return a < b + 1")
    assert "a < b + 1  ->  (a <= b + 1)" in found
    assert "b + 1  ->  (b - 1)" in found
    assert "1  ->  (2)" in found
    assert "return a < b + 1  ->  return True" in found
    assert "g(a, b)  ->  pass" in changes_of("g(a, b)")
    assert "g(a, b)  ->  (g(b, a))" in changes_of("g(a, b)")
    assert "min(a, b)  ->  (max(a, b))" in changes_of("a = min(a, b)")
    assert "range(a)  ->  (range(a + 1))" in changes_of("return list(range(a))")
    assert "a and b  ->  (a or b)" in changes_of("return bool(a and b)")


def test_messages_types_and_docstrings_are_left_alone():
    assert changes_of('raise ValueError(f"{a + 1} < {b}")') == []
    assert changes_of("a: int") == []
    assert changes_of('"""1 < 2."""') == []


def test_every_mutant_is_code_that_differs_in_one_place_from_the_file():
    for file, found in mutants.all_mutants().items():
        assert len(found) > 2
        text = (mutants.ROOT / file).read_text(encoding="utf-8")
        for mutant in found[::40]:
            assert mutant.text != text
            if file.endswith(".py"):
                ast.parse(mutant.text)
            assert mutant.source in text


def test_comments_and_errors_of_the_script_are_left_alone():
    lines = ["(function (root) {", "  // a < b", "  /* 1 + 1 */", "  if (a < b) throw new E(`1`);"]
    found = mutants.script_mutants("x.js", "\n".join(lines) + "\n")
    assert {m.line for m in found} == {4}
    assert all("`1`" in m.text for m in found)


def test_what_is_known_to_change_nothing_is_still_there_and_has_a_reason():
    known = mutants.read_known()
    everything = mutants.all_mutants().values()
    there = {key for found in everything for m in found for key in mutants.keys(m)}
    assert set(known) <= there
    assert all(len(reason) > 20 for reason in known.values())


def test_what_is_broken_has_tests_that_are_there():
    for file in mutants.BROKEN:
        found = mutants.tests_of(file)
        assert found, file
        assert all((mutants.ROOT / "tests" / name).is_file() for name in found)


def test_the_tests_of_a_module_are_found_by_its_name():
    assert mutants.tests_of("maxgap/policies/_saved.py")[0] == "policies/test_saved.py"
    assert mutants.tests_of("maxgap/policies/base.py")[:2] == [
        "policies/test_base.py",
        "policies/test_base_in_any_order.py",
    ]
