"""The demo's own notes: a small vault as a person would keep it."""

from __future__ import annotations

NOTES: dict[str, str] = {
    "MEMORY.md": """# Memory

## Preferences

- Answers short, sources named.
- Dates as 2026-03-31.

## Facts

- The staging server is called heron.
""",
    "projects/heron.md": """---
title: Heron, the staging server
tags: [infrastructure, staging]
created: 2026-02-11
---

# Heron

Runs the nightly build at 02:30. Backups go to the cellar.

## Open questions

- Who renews the certificate in May?
""",
    "projects/garden.md": """# Garden

Tomatoes after the last frost. See [[projects/heron]] for the watering script.

| bed | crop | sown |
|---|---|---|
| 1 | beans | 2026-04-20 |
| 2 | chard | 2026-04-28 |
""",
    "journal/2026-03-02.md": """Met the people from the library. They archive newspapers and want full-text search.

> "We do not need clever, we need found."
""",
    "journal/2026-03-09.md": """今天和图书馆的同事开会，讨论了全文检索。

- 下一步：准备一个演示
""",
    "recipes/bread.md": """# Bread

500 g flour, 350 g water, 10 g salt, 3 g yeast.

1. Mix, rest 30 minutes.
2. Fold three times.
3. Bake at 240 °C for 40 minutes.

```
hydration = 350 / 500
```
""",
    "people/ada.md": """---
title: Ada
tags: library, contact
---

Prefers mail. Birthday on 10 December.
""",
}
