"""Importing: documents, mail and chats from elsewhere become markdown files of the workspace, in one commit."""
