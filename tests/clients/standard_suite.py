"""langchain-tests' standard suite of a chat model, unchanged, for `ChatOpenAI` against a coppice server (COPPICE_URL). Run by pytest.

Images, audio and PDF stay off: the suite fetches its files from the internet, and coppice passes such requests through unread.
"""

import os

from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests


class TestCoppice(ChatModelIntegrationTests):
    @property
    def chat_model_class(self):
        return ChatOpenAI

    @property
    def chat_model_params(self):
        return {"model": "m", "base_url": f"{os.environ['COPPICE_URL']}/v1", "api_key": "unused", "max_retries": 0, "temperature": 0, "stream_usage": True}

    @property
    def supports_json_mode(self):
        return True

    @property
    def model_override_value(self):
        return "other"
