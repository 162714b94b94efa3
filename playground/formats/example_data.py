"""Example data for the Formats page, each text the same every time."""

import json
import random
from collections.abc import Callable

_PEOPLE = [
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Barbara Liskov",
    "Edsger Dijkstra",
    "Radia Perlman",
]
_CITIES = ["London", "Paris", "Zürich", "Oslo", "Berlin", "Kyoto", "São Paulo", "Rome", "Montréal"]
_PRODUCTS = [("Keyboard", 79.9), ("USB-C cable", 12.5), ("Monitor, 27 inch", 289.0), ("Desk lamp", 34.95)]

_CONFIGURATION = """\
service:
  name: checkout
  image: registry.example.org/checkout:1.14.2
  replicas: 3
  ports: [8080, 9090]
  environment:
    LOG_LEVEL: info
    DATABASE_URL: postgres://db.internal:5432/checkout
    FEATURE_FLAGS: "new-cart,fast-refund"
  resources:
    requests: {cpu: 250m, memory: 256Mi}
    limits: {cpu: "1", memory: 512Mi}
  health:
    path: /healthz
    interval_seconds: 10
    timeout_seconds: 2.5
  autoscale: true
  released: 2026-03-14
  owners:
    - payments
    - platform
"""


def _rows() -> str:
    draw = random.Random(1)
    rows = [
        {
            "id": 1 + number,
            "name": draw.choice(_PEOPLE).split()[0],
            "age": draw.randint(20, 70),
            "role": draw.choice(["admin", "editor", "viewer"]),
            "city": draw.choice(_CITIES[1::3]),
            "active": draw.random() < 0.7,
        }
        for number in range(20)
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def _api_response() -> str:
    draw = random.Random(2)
    items = [
        {
            "id": f"cus_{draw.getrandbits(48):012x}",
            "object": "customer",
            "email": f"{draw.choice(_PEOPLE).split()[1].lower()}{number}@example.org",
            "name": draw.choice(_PEOPLE),
            "phone": None,
            "zip": f"{draw.randint(10000, 99999)}",
            "balance": draw.randint(0, 9000),
            "currency": "eur",
            "delinquent": draw.random() < 0.2,
            "address": {"city": draw.choice(_CITIES), "country": draw.choice(["DE", "GB", "JP"])},
            "tags": draw.sample(["trial", "vip", "eu", "newsletter"], 2),
        }
        for number in range(10)
    ]
    response = {"object": "list", "url": "/v1/customers", "has_more": True, "data": items}
    return json.dumps(response, indent=2, ensure_ascii=False)


def _orders() -> str:
    draw = random.Random(3)
    orders = [
        {
            "order": f"2026-{number:04}",
            "customer": {"name": draw.choice(_PEOPLE), "city": draw.choice(_CITIES)},
            "lines": [
                {"product": product, "price": price, "quantity": draw.randint(1, 4)}
                for product, price in draw.sample(_PRODUCTS, 2)
            ],
            "paid": draw.random() < 0.8,
        }
        for number in range(1, 9)
    ]
    return json.dumps({"orders": orders}, indent=2, ensure_ascii=False)


def _events() -> str:
    draw = random.Random(4)
    events = [
        {
            "ts": f"2026-03-14T09:{number:02}:{draw.randint(0, 59):02}.{draw.randint(0, 999):03}Z",
            "level": draw.choice(["info", "info", "info", "warn", "error"]),
            "logger": draw.choice(["http.server", "db.pool", "cart"]),
            "message": draw.choice(["request done", "connection reused", "retrying after timeout"]),
            "duration_ms": round(draw.expovariate(1 / 40), 1),
        }
        for number in range(25)
    ]
    return "\n".join(json.dumps(event, separators=(",", ":")) for event in events)


def _languages() -> str:
    rows = [
        {"language": "English", "greeting": "Hello, world", "speakers_millions": 1500},
        {"language": "Deutsch", "greeting": "Grüß Gott, Welt", "speakers_millions": 133},
        {"language": "Français", "greeting": "Bonjour à tous", "speakers_millions": 310},
        {"language": "Русский", "greeting": "Привет, мир", "speakers_millions": 255},
        {"language": "हिन्दी", "greeting": "नमस्ते दुनिया", "speakers_millions": 609},
        {"language": "日本語", "greeting": "こんにちは、世界", "speakers_millions": 123},
        {"language": "한국어", "greeting": "안녕하세요, 세계", "speakers_millions": 82},
        {"language": "العربية", "greeting": "مرحبا بالعالم", "speakers_millions": 335},
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


#: Title on the page to the function that makes the text.
EXAMPLE_DATA: dict[str, Callable[[], str]] = {
    "API response": _api_response,
    "Table of rows": _rows,
    "Nested orders": _orders,
    "Configuration": lambda: _CONFIGURATION,
    "Log events": _events,
    "Mixed languages": _languages,
}
