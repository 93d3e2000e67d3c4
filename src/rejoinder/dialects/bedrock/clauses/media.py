"""Images, documents, videos and sounds: which of them, where, how many, and what documents are called."""

from __future__ import annotations

from rejoinder.dialects.bedrock.clauses.sources import (
    ISSUE_FAILED,
    MATRIX,
    MODEL,
    NOT_TAKEN,
    PROFILES,
    VENDOR_SAYS,
)
from rejoinder.dialects.bedrock.families import CLAUDE, LLAMA, MISTRAL, NO_MEDIA_IN_RESULTS, NOVA
from rejoinder.dialects.bedrock.formats import KNOWN
from rejoinder.dialects.clause import Clause, documented, observed
from rejoinder.rules import documents, media

_KINDS = tuple(KNOWN)

_NAMES = (
    Clause(
        id="bedrock/document-name",
        check=documents.name,
        params={"pattern": r"(?!.*\s\s)[a-zA-Z0-9\s()\[\]-]+", "longest": 200},
        says="a document's name has 1 to 200 letters, digits, single spaces, hyphens, parentheses or square brackets",
        provider_says=(
            "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, "
            "parentheses, and square brackets. The name can't contain more than one consecutive whitespace character."
        ),
        evidence=documented(f"{MODEL}, DocumentBlock"),
    ),
    Clause(
        id="bedrock/document-name-unique",
        check=documents.unique_name,
        says="the documents of a request have names of their own",
        provider_says="Messages can't contain duplicate document names. Rename the document and retry your request.",
        evidence=observed("maximhq/bifrost#7003", "ag-ui-protocol/ag-ui#2425", ISSUE_FAILED),
    ),
    Clause(
        id="bedrock/document-needs-text",
        check=documents.words_beside,
        says="a message with a document has a text",
        evidence=documented(f"{MODEL}, Message"),
    ),
)

_PLACES = (
    Clause(
        id="bedrock/media-user-only",
        check=media.user_only,
        params={"kinds": _KINDS},
        says="images, documents, videos and sounds stand in user messages",
        evidence=documented(f"{MODEL}, Message: images and documents only if the role is user"),
    ),
    Clause(
        id="bedrock/media-format",
        check=media.format_known,
        params={"known": KNOWN},
        says="an image, a document, a video or a sound is in a format that Converse has a name for",
        provider_says=(
            "Value at 'messages.{i}.content.{j}.format' failed to satisfy constraint: "
            "Member must satisfy enum value set"
        ),
        evidence=documented(MODEL),
    ),
    Clause(
        id="bedrock/image-media-type",
        check=media.image_type,
        params={"known": KNOWN["image"]},
        models=CLAUDE,
        says="an inline image is what it says it is",
        provider_says=(
            f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}.image.source.base64.data: The image was specified using "
            "another media type than it appears to be"
        ),
        evidence=documented("anthropic 2.10.0: the vendor's rule, which Claude keeps to on Bedrock"),
    ),
)

_MODELS = (
    *(
        Clause(
            id="bedrock/media-model",
            check=media.kind_taken,
            params={"refused": (kind,), "inside": True},
            models=CLAUDE,
            says=f"the model takes no {kind}",
            provider_says=NOT_TAKEN.replace("{kind}", kind),
            evidence=observed(MATRIX),
        )
        for kind in ("video", "audio")
    ),
    Clause(
        id="bedrock/media-model",
        check=media.kind_taken,
        params={"refused": ("image",), "inside": True, "handed_over": True},
        models=CLAUDE,
        says="the model takes images inline only",
        provider_says="This model doesn't support the s3Uri field. Remove s3Uri and try again.",
        evidence=observed(MATRIX),
    ),
    Clause(
        id="bedrock/media-model",
        check=media.kind_taken,
        params={"refused": ("document",), "handed_over": True},
        models=CLAUDE,
        says="the model takes the documents of a user inline only",
        provider_says=f"{VENDOR_SAYS}messages.{{i}}.content.{{j}}.document.source.type: Field required",
        evidence=observed(MATRIX),
    ),
    Clause(
        id="bedrock/media-model",
        check=media.in_results,
        params={"refused": ("document",), "handed_over": True},
        models=NOVA,
        says="the model takes documents from S3 from users, and not in results",
        provider_says=(
            f"{VENDOR_SAYS}Malformed input request: #/messages/{{i}}/content/{{j}}: extraneous key [toolResult] is not "
            "permitted, please reformat your input and try again."
        ),
        evidence=observed(MATRIX),
    ),
    *(
        Clause(
            id="bedrock/media-model",
            check=media.in_results,
            params={"refused": (kind,)},
            models=families,
            says=f"the model takes no {kind} in results",
            provider_says=NOT_TAKEN.replace("{kind}", kind),
            evidence=observed(PROFILES),
        )
        for kind, families in (
            ("image", f"{MISTRAL}|{NO_MEDIA_IN_RESULTS}"),
            ("document", NO_MEDIA_IN_RESULTS),
            ("video", f"{LLAMA}|{MISTRAL}|{NO_MEDIA_IN_RESULTS}"),
        )
    ),
)

_LIMITS = tuple(
    Clause(
        id=f"bedrock/{kind}-count",
        check=media.most,
        params={"kind": kind, "limit": limit},
        severity="warning",
        says=f"a request holds at most {limit} {kind}s",
        evidence=documented(f"{MODEL}, Message"),
        acts=False,
    )
    for kind, limit in (("image", 20), ("document", 5))
)

MEDIA = (*_NAMES, *_PLACES, *_MODELS, *_LIMITS)
