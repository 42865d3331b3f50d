"""HTTP as plugins speak it: what a judge behind an API needs (docs/http_judges.md), and who may ask a server of ours.

A judge gets a question and an API's two translations, `request` and `read`; out comes a reply, an error in the server's
words, or TryAgain. `rewardlab.judging.http` hands these names on.

    server_judge    ServerJudge: one request per question
    server_options  ServerOptions: address, key, more headers and keys of the request
    credentials     keys of the environment, sent and never shown
    refusals        what a server's refusal says: ask again, drop the question, or end the job
    client          the pooled client of all judges of an event loop
    visitors        who may ask a server, and where it listens
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_http.server_judge import ENVELOPE as ENVELOPE
    from rewardlab_http.server_judge import MAX_ANSWER as MAX_ANSWER
    from rewardlab_http.server_judge import TOKEN as TOKEN
    from rewardlab_http.server_judge import Hide as Hide
    from rewardlab_http.server_judge import NoAnswerError as NoAnswerError
    from rewardlab_http.server_judge import ServerJudge as ServerJudge
    from rewardlab_http.server_judge import token_count as token_count
    from rewardlab_http.server_options import ServerOptions as ServerOptions
    from rewardlab_http.visitors import VisitorRefusal as VisitorRefusal
    from rewardlab_http.visitors import VisitorRules as VisitorRules
    from rewardlab_http.visitors import address_of as address_of
    from rewardlab_http.visitors import bound_socket as bound_socket
    from rewardlab_http.visitors import needed_token as needed_token

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
