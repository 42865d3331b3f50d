"""What a judge behind another HTTP API needs: a client, credentials, refusals and limits; docs/http_judges.md.

In go a question and an API's two translations, `request` and `read`; out comes a reply, an error in the server's words,
or TryAgain. It needs aiohttp, which `rewardlab-core[http]` brings, as soon as a judge is built.

    server_judge    ServerJudge: one request per question
    server_options  ServerOptions: address, key, more headers and keys of the request
    credentials     keys of the environment, sent and never shown
    refusals        what a server's refusal says: ask again, drop the question, or end the job
    client          the pooled client of all judges of an event loop
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.judging.http.server_judge import ENVELOPE as ENVELOPE
    from rewardlab.judging.http.server_judge import MAX_ANSWER as MAX_ANSWER
    from rewardlab.judging.http.server_judge import TOKEN as TOKEN
    from rewardlab.judging.http.server_judge import Hide as Hide
    from rewardlab.judging.http.server_judge import NoAnswerError as NoAnswerError
    from rewardlab.judging.http.server_judge import ServerJudge as ServerJudge
    from rewardlab.judging.http.server_judge import token_count as token_count
    from rewardlab.judging.http.server_options import ServerOptions as ServerOptions

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
