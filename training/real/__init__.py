"""Reward models for real generators: LoRA adapters whose verdict is a token. README.md beside this file says how."""
