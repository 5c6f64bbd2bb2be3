"""Code words: what tells names of hosts, files, firms and standards from identifiers, paths and issues. Written by hand."""

from __future__ import annotations

from memtree.tree.common_words import word_set

TOP_DOMAINS = word_set("""
ai app at au biz ca ch cn co com de dev edu es eu fr gov in info io it jp me net nl nz org pl ru se tv uk us xyz
""")

# Endings of files that are named without a folder, between backticks.
FILE_ENDINGS = word_set("""
bash c cc cfg conf cpp cs css csv db go gz h hpp htm html ini ipynb java jpeg jpg js json jsonl jsx kt lock log lua md mjs
pdf php pl png proto py pyi rb rs rst scss sh sql sqlite svg swift tar tex toml ts tsv tsx txt vue xml yaml yml zip zsh
""")

# Made of several words, but names of firms and things, not of code.
BRANDS = word_set("""
airbnb arxiv biorxiv bitcoin bytedance chatgpt deepl deepmind deepseek devops doordash duckduckgo ebay ecommerce evernote
facebook fastapi figma flatpak freebsd github gitlab graphql hubspot huggingface icloud ieee imac imessage ios ipad ipados
iphone ipod javascript jetbrains jquery kde langchain latex libreoffice linkedin llama lovelace macbook macos mailchimp
mastercard medrxiv mongodb mysql nginx nodejs numpy onedrive openai openbsd opengl openssl openstack opensuse paypal phd phds
playstation postgresql powerpoint powershell protonmail pycharm pypi pytorch quickbooks quicktime reddit redhat salesforce
scipy servicenow sharepoint snapchat soundcloud spacex sqlite stackoverflow tensorflow tiktok tripadvisor tvos typescript
ubuntu vmware vscode watchos webassembly webex webgl wechat whatsapp wifi wikipedia wordpress xbox youtube
""")

# Letters that stand before a number in the names of standards, machines and illnesses.
NO_PROJECT = word_set("""
AES AGPL AK AM ASCII BGP BS BSD CD CEST CET CO COVID CP CPU CRC CRF DDR DES DIN DVD EN EP ES EST EU FIPS FM FW FY GB GMT GPL
GPT GPU HNSW HTTP IEC IEEE IP IPV ISO IVF JIS KB LGA LGPL LTE LZ MD MG MIG MIT MP MPEG MS NF NIST OS PC PCA PEP PM PS PST PT
RC RFC RJ RS RSA RTX SARS SHA SO SQL SS SSL ST TLS UCS UN US USB UTC UTF VGA VITAMIN WIFI WW XP XR
""")
