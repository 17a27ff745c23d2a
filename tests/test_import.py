"""What `import maxgap` brings along."""

import subprocess
import sys


def printed(code):
    """What a new process prints; it must say nothing else."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.strip()


def test_importing_maxgap_loads_no_drawing_and_no_statistics():
    heavy = ["matplotlib", "seaborn", "pandas", "scipy.stats", "scipy.optimize", "IPython"]
    heavy += ["maxgap.ratings"]
    code = f"import sys, maxgap; print([name for name in {heavy} if name in sys.modules])"
    assert printed(code) == "[]"


def test_the_heavy_parts_are_there_once_asked_for():
    code = (
        "import sys, maxgap, maxgap.figures\n"
        "maxgap.RoundRobin(2).report()\n"
        "print([name in sys.modules for name in ('matplotlib', 'seaborn', 'pandas')])\n"
    )
    assert printed(code) == "[True, True, True]"


def test_the_wing_of_ratings_comes_with_its_first_name():
    code = "import sys, maxgap; maxgap.split; print('maxgap.ratings' in sys.modules, dir(maxgap))"
    assert printed(code).startswith("True")
    assert "'split_duels'" in printed(code)
    lost = "import maxgap; print(getattr(maxgap, 'spilt', 'nothing of that name'))"
    assert printed(lost) == "nothing of that name"


def test_every_public_name_is_there():
    import maxgap

    assert sorted(maxgap.__all__) == maxgap.__all__
    for name in maxgap.__all__:
        assert hasattr(maxgap, name)
