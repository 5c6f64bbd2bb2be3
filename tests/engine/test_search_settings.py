"""The tables that shape a search, and the consent that sending texts away needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.meaning import at_hand
from memtree.engine.search_settings import EmbeddingSettings
from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.workspace import Workspace
from memtree.indexers import minilm_model
from memtree.indexers.query import Mode, Query
from memtree.indexers.weights import MINILM_TURNS, TurnWeights
from memtree.tree.episode import Episode
from memtree.tree.kinds import Kind
from support.embedding_server import embedding_server


def test_without_tables_both_legs_count_and_the_model_is_in_the_package() -> None:
    settings = parse(b"")
    assert settings.search.mode is Mode.HYBRID
    assert (settings.embedding.model, settings.embedding.url) == ("wordllama", "")


def test_every_weight_is_a_setting() -> None:
    settings = parse(b'[search]\nmode = "text"\nvector = 1\nrecency = 0.25\n[search.turns]\nspeaker = 0\n')
    assert settings.search.mode is Mode.TEXT
    assert settings.search.ranking.fusion.vector == 1.0
    assert settings.search.ranking.fusion.recency == 0.25
    assert settings.search.ranking.turns.speaker == 0.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("search = 3", "must be a table"),
        ('[search]\nmode = "both"', "hybrid"),
        ("[search]\nvektor = 1", "unknown key 'vektor'"),
        ("[search]\ntext = true", "must be a number"),
        ("[search]\ntext = nan", "must be a number"),
        ('[search.turns]\nspeaker = "much"', "must be a number"),
        ('[embedding]\nmodel = "some-model"', "needs a url"),
        ('[embedding]\nmodel = "m"\nurl = "ftp://x"', "not an http address"),
        ("[embedding]\nmodel = 3", "text in quotes"),
        ('[embedding]\nmodel = "m"\nurl = "https://me:secret@host/v1"', "holds credentials"),
        ("[search]\nvector = -1", "must not be negative"),
        ("[search]\ntext = 0\nvector = 0", "must count something"),
        ("[search]\nhalf_life_days = 0", "above 0"),
        ('[embedding]\nkey = "sk-123"', "unknown key 'key'"),
    ],
)
def test_a_wrong_table_is_told_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InvalidSettings, match=said) as caught:
        parse(text.encode())
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def workspace_with(tmp_path: Path, table: str) -> Workspace:
    workspace, _ = Workspace.init(str(tmp_path / "w"))
    workspace.close()
    toml = tmp_path / "w" / "memtree.toml"
    toml.write_text(toml.read_text() + table)
    (tmp_path / "w" / "heron.md").write_text("# Heron\n\nThe staging server is called heron.\n")
    (tmp_path / "w" / "bread.md").write_text("# Bread\n\nFlour, water, salt and yeast.\n")
    return Workspace.open(str(tmp_path / "w"))


def test_texts_are_never_sent_where_nobody_here_agreed_to(tmp_path: Path) -> None:
    with workspace_with(tmp_path, '[embedding]\nmodel = "m"\nurl = "http://127.0.0.1:9/v1"\n') as workspace:
        report = workspace.search(Query("heron"))
        assert [hit.path for hit in report.hits] == ["heron.md"]
        (note,) = report.notes
        assert "not allowed on this machine" in note
        assert "git config memtree.embeddingurl" in note
        workspace.searching.rebuild()
        assert [hit.path for hit in workspace.search(Query("heron")).hits] == ["heron.md"]


def test_nothing_is_sent_any_more_once_that_was_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by whoever has the workspace open for long."""
    monkeypatch.setenv("no_proxy", "*")
    with (
        embedding_server() as embedder,
        workspace_with(tmp_path, f'[embedding]\nmodel = "m"\nurl = "{embedder.url}"\n') as workspace,
    ):
        workspace.git.run("config", "memtree.embeddingurl", embedder.url)
        assert workspace.search(Query("heron")).notes == ()
        sent = len(embedder.requests)
        assert sent
        workspace.git.run("config", "--unset", "memtree.embeddingurl")
        (note,) = workspace.search(Query("heron")).notes
        assert "not allowed on this machine" in note
        assert len(embedder.requests) == sent


def test_a_key_is_sent_only_where_somebody_here_allowed_that_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings come from other machines: they must not take whatever stands in the environment to an address that is allowed."""
    monkeypatch.setenv("no_proxy", "*")
    for name in ("MEANT", "OTHER"):
        monkeypatch.setenv(name, "made-up-0123456789")
    with embedding_server() as embedder:
        table = f'[embedding]\nmodel = "m"\nurl = "{embedder.url}"\nkey_env = "OTHER"\n'
        with workspace_with(tmp_path, table) as workspace:
            workspace.git.run("config", "memtree.embeddingurl", embedder.url)
            workspace.git.run("config", "memtree.embeddingkey", f"MEANT {embedder.url}")
            (note,) = workspace.search(Query("heron")).notes
            assert "key in $OTHER" in note
            assert f"git config memtree.embeddingkey 'OTHER {embedder.url}'" in note
            assert embedder.requests == []
            workspace.git.run("config", "memtree.embeddingkey", f"OTHER {embedder.url}")
            assert workspace.search(Query("heron")).notes == ()
            sent = {name.lower(): value for name, value in embedder.headers[0].items()}
            assert sent["authorization"] == "Bearer made-up-0123456789"


def test_a_search_goes_on_by_words_while_the_endpoint_is_away(tmp_path: Path) -> None:
    with workspace_with(tmp_path, '[embedding]\nmodel = "m"\nurl = "http://127.0.0.1:9/v1"\n') as workspace:
        workspace.git.run("config", "memtree.embeddingurl", "http://127.0.0.1:9/v1")
        report = workspace.search(Query("heron"))
        assert [hit.path for hit in report.hits] == ["heron.md"]
        assert any("vector index is behind" in note for note in report.notes)


def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    with workspace_with(tmp_path, "") as workspace:
        assert workspace.search(Query("baking ingredients", mode=Mode.TEXT)).hits == ()
        assert workspace.search(Query("baking ingredients")).hits[0].path == "bread.md"
        assert workspace.search(Query("baking ingredients", mode=Mode.VECTOR)).hits[0].path == "bread.md"


def test_the_parts_of_a_score_add_up_to_it(tmp_path: Path) -> None:
    with workspace_with(tmp_path, "") as workspace:
        for hit in workspace.search(Query("heron server")).hits:
            assert sum(value for _, value in hit.parts) == pytest.approx(hit.score, abs=0.001)


def test_without_an_embedder_words_answer_alone(tmp_path: Path) -> None:
    with workspace_with(tmp_path, '[embedding]\nmodel = "none"\n') as workspace:
        report = workspace.search(Query("heron"))
        assert [hit.path for hit in report.hits] == ["heron.md"]
        assert report.notes == ()


def test_the_parts_of_a_turns_score_add_up_too(tmp_path: Path) -> None:
    with workspace_with(tmp_path, "") as workspace:
        turns = [
            Episode("s1", seq, text, speaker="Ada") for seq, text in enumerate(("Hello.", "The heron is down.", "Since Monday?"))
        ]
        workspace.write({turn.path(): turn.render() for turn in turns}, "turns\n\nMemtree-Writer: archivist")
        hits = workspace.search(Query("heron down")).hits
        assert any(hit.kind is Kind.EPISODE for hit in hits)
        for hit in hits:
            assert sum(value for _, value in hit.parts) == pytest.approx(hit.score, abs=0.002)


def test_the_better_model_answers_and_another_judges_turns(tmp_path: Path) -> None:
    with workspace_with(tmp_path, '[embedding]\nmodel = "minilm"\n') as workspace:
        assert workspace.searching.meaning().embedder.model_id.startswith("minilm-l6-v2/")
        report = workspace.search(Query("a bird that wades", mode=Mode.VECTOR))
        assert report.notes == ()
        assert report.hits[0].path == "heron.md"
        judge = workspace.searching.embedder()
        assert judge is not None
        assert judge.model_id.startswith("wordllama/")


def test_without_the_extra_the_better_model_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtree.indexers.minilm_model.find_spec", lambda name: None)
    with workspace_with(tmp_path, '[embedding]\nmodel = "minilm"\n') as workspace:
        report = workspace.search(Query("heron"))
        assert [hit.path for hit in report.hits] == ["heron.md"]
        assert any("pip install 'memtree-sync[quality]'" in note for note in report.notes)


def test_a_model_is_at_hand_where_asking_it_keeps_nobody_waiting() -> None:
    minilm = EmbeddingSettings("minilm")
    minilm_model._loaded.cache_clear()
    assert not at_hand(minilm)
    minilm_model.MiniLmEmbedder().embed_query("now it is loaded")
    assert at_hand(minilm)
    assert at_hand(EmbeddingSettings())
    assert not at_hand(EmbeddingSettings("none"))
    assert not at_hand(EmbeddingSettings("minilm", "http://127.0.0.1:9/v1"))
    assert not at_hand(EmbeddingSettings("wordllama", "http://127.0.0.1:9/v1"))


def test_named_weights_count_with_either_model_and_the_others_are_its_own() -> None:
    settings = parse(b"[search.turns]\nspeaker = 0.5\n").search.ranking
    assert (settings.turns.speaker, settings.read_turns.speaker) == (0.5, 0.5)
    assert settings.turns.words_5 == TurnWeights().words_5
    assert settings.read_turns.words_5 == MINILM_TURNS.words_5
