"""What frameworks for agents do with a coppice server, unchanged: ten turns with tools, and one line of JSON for the test to read."""

import asyncio
import json
import os
import sys

base = sys.argv[1]
wanted = sys.argv[2]
prompt = "Take ten steps."
steps = []
os.environ["OPENAI_API_KEY"] = "unused"


def take(n: int) -> str:
    steps.append(n)
    return f"step {n}"


parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def openai_client():
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0)
    tools = [{"type": "function", "function": {"name": "step", "parameters": parameters}}]
    messages = [{"role": "user", "content": prompt}]
    while True:
        message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            content = take(json.loads(call.function.arguments)["n"])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def anthropic_client():
    from anthropic import Anthropic

    client = Anthropic(base_url=base, auth_token="unused", max_retries=0)
    tools = [{"name": "step", "input_schema": parameters}]
    messages = [{"role": "user", "content": prompt}]
    while True:
        message = client.messages.create(model="m", max_tokens=500, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            return message.content[0].text
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": take(block.input["n"])}
            for block in message.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})


def openai_agents(api):
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
    from agents.models.openai_responses import OpenAIResponsesModel
    from openai import AsyncOpenAI

    set_tracing_disabled(True)

    @function_tool
    def step(n: int) -> str:
        """Takes a step."""
        return take(n)

    client = AsyncOpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0)
    kind = OpenAIResponsesModel if api == "responses" else OpenAIChatCompletionsModel
    agent = Agent(name="walker", model=kind(model="m", openai_client=client), tools=[step])

    async def both():
        await Runner.run(agent, prompt, max_turns=20)
        steps.clear()
        run = Runner.run_streamed(agent, prompt, max_turns=20)
        async for _ in run.stream_events():
            pass
        return run.final_output

    return asyncio.run(both())


def langgraph_agent():
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    @tool
    def step(n: int) -> str:
        """Takes a step."""
        return take(n)

    model = ChatOpenAI(model="m", base_url=f"{base}/v1", api_key="unused", max_retries=0)
    agent = create_react_agent(model, [step])
    said = agent.invoke({"messages": [("user", prompt)]}, {"recursion_limit": 60})
    return said["messages"][-1].content


def pydantic_agent():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=f"{base}/v1", api_key="unused"))
    agent = Agent(model)

    @agent.tool_plain
    def step(n: int) -> str:
        """Takes a step."""
        return take(n)

    return agent.run_sync(prompt).output


agents = {
    "openai": openai_client,
    "anthropic": anthropic_client,
    "openai-agents": lambda: openai_agents("chat"),
    "openai-agents-responses": lambda: openai_agents("responses"),
    "langgraph": langgraph_agent,
    "pydantic-ai": pydantic_agent,
}
print(json.dumps({"said": agents[wanted](), "steps": steps}))
