"""A user and a password in a recipe's URL reach the judge, and no file."""

import os
from urllib.parse import urlsplit

import pytest
from helpers.each_case import each_case
from rewardlab import redact
from rewardlab.errors import UserError
from rewardlab.recipe.loading import load
from rewardlab.recipe.yaml12 import dump

NAME = "REWARDLAB_LOGIN_JUDGES_MAIN_BASE_URL"
PLACE = ("judges", "main", "with", "base_url")


@pytest.fixture
def recipe(tmp_path):
    """A recipe with this judge's address, and overrides."""

    def loaded(url, *overrides):
        (tmp_path / "r.yaml").write_text(f"judges: {{main: {{use: a/b, with: {{base_url: '{url}'}}}}}}\n")
        return load(tmp_path / "r.yaml", overrides)

    return loaded


def address(tree):
    return tree["judges"]["main"]["with"]["base_url"]


@each_case(
    "login", ["bob:hunter2", "token-123", "bob:hunt%40er2", "bob:a:b@c", "bob:$x{y}", 'bob:p"w9999', "bob:p<w9999>"]
)
def test_a_login_is_written_as_a_variable(recipe, login):
    document = recipe(f"http://{login}@host/v1")
    assert address(document.raw) == f"http://${{oc.env:{NAME}}}@host/v1"
    assert address(document.tree) == f"http://{login}@host/v1"
    assert os.environ[NAME] == login


def test_what_is_written_gives_the_same_recipe(recipe, tmp_path):
    document = recipe("http://bob:hunter2@host/v1", "other=['ftp://al:secret@host']")
    written = tmp_path / "written.yaml"
    written.write_text(dump(document.raw))
    assert "hunter2" not in written.read_text()
    assert "secret" not in written.read_text(), "of a list"
    again = load(written)
    assert (again.raw, again.tree) == (document.raw, document.tree)


def test_a_written_recipe_says_what_it_lacks(recipe, tmp_path, monkeypatch):
    written = tmp_path / "written.yaml"
    written.write_text(dump(recipe("http://bob:hunter2@host/v1").raw))
    monkeypatch.delenv(NAME)
    with pytest.raises(UserError) as caught:
        load(written)
    assert str(caught.value).removeprefix(str(tmp_path)) == (
        f"/written.yaml:5: judges.main.with.base_url: no environment variable {NAME}; a URL had its user and password "
        "here, which are never written: export it as USER:PASSWORD"
    )


@pytest.mark.parametrize("url", ["http://bob:${oc.env:PW}@host/v1", "http://${oc.env:PW}@host", "http://host/a@b"])
def test_what_is_a_variable_already_stays(recipe, monkeypatch, url):
    monkeypatch.setenv("PW", "hunter2")
    assert address(recipe(url).raw) == url
    assert NAME not in os.environ


def test_a_password_beside_a_variable_is_one_too(recipe, monkeypatch):
    monkeypatch.setenv("ME", "bob")
    document = recipe("http://${oc.env:ME}:hunter2@host")
    assert address(document.raw) == f"http://${{oc.env:ME}}:${{oc.env:{NAME}}}@host"
    assert urlsplit(address(document.tree)).netloc == "bob:hunter2@host"


def test_equal_logins_share_a_variable_and_others_do_not(recipe):
    raw = address(recipe("http://a:one@h http://b:two@h http://a:one@g").raw)
    assert raw == f"http://${{oc.env:{NAME}}}@h http://${{oc.env:{NAME}_2}}@h http://${{oc.env:{NAME}}}@g"


def test_a_password_is_a_secret_however_it_comes_back(recipe):
    recipe("http://bob:hunt%40er2@host")
    assert redact("hunt@er2, hunt%40er2") == "***, ***"


def test_no_place_in_a_message_shows_it(recipe):
    document = recipe("http://host", "judges.main.with.base_url=http://bob:hunter2@host")
    place = document.where(PLACE)
    assert place == "override 'judges.main.with.base_url=http://***@host': judges.main.with.base_url"
