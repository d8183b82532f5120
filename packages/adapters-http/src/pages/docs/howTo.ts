import { ClientSecret } from "@place-access/domain/apps"
import type { ServiceOptions } from "../../HttpOptions.js"
import { code, DOCS, page } from "./frame.js"
import { prose } from "./prose.js"
import { duration } from "./words.js"

/** Short answers to the questions of most developers, each with a link to the full text. */
export const pages = ({ baseUrl }: ServiceOptions) => [
  page(`${DOCS}/how-to`, () => ({
    title: "How do I …",
    about:
      "Verify a webhook, handle unknown, test without a phone or on a clock of your own, rotate a secret, see what changed",
    lead: "Short answers, each with a link to the full text.",
    sections: [
      { id: "verify", name: "… verify a webhook in my language?", content: verify() },
      { id: "unknown", name: "… handle “unknown”?", content: unknown() },
      { id: "without-a-phone", name: "… test without a phone?", content: withoutPhone(baseUrl) },
      { id: "time", name: "… test what takes days?", content: time() },
      { id: "rotate", name: "… rotate a secret?", content: rotate() },
      { id: "changed", name: "… see what changed?", content: changed() },
      { id: "error", name: "… understand an error?", content: error() }
    ]
  }))
]

const verify = () =>
  prose(`Copy the example for [JavaScript](${DOCS}/webhooks#verify-library), [Node.js](${DOCS}/webhooks#verify-node),
  [Python](${DOCS}/webhooks#verify-python), [Go](${DOCS}/webhooks#verify-go), [PHP](${DOCS}/webhooks#verify-php),
  [Ruby](${DOCS}/webhooks#verify-ruby), [Java](${DOCS}/webhooks#verify-java) or [C#](${DOCS}/webhooks#verify-csharp).
  Give it the body as it arrived, before anything parses it.`)

const unknown = () => [
  prose(`\`unknown\` is an answer and not an error. It means that the service cannot say where the person is: no phone
  has sent anything, the readings are too old or too near an edge, or the person paused your app. Never show it as “not there”.

- \`max_age_s\` says how old a reading may be. A longer time gives fewer unknowns, and older answers.
- \`reason: "paused"\` is in the answer when the person has paused your app. A pause ends when the person resumes the
  app, or at an end that the person chose.
- Do not ask again at once. Make a [rule](${DOCS}/reference/rules), and the service tells you when the person arrives.`),
  code(
    `if (answer.state === "unknown") return show("We do not know where you are at the moment.")
if (answer.state === "at_place") return show(\`You are at \${answer.place.label}.\`)
return show("You are somewhere else.")`,
    "js"
  )
]

const withoutPhone = (baseUrl: string) => [
  prose(`For an app in the sandbox you make [test people](${DOCS}/reference/test-people): on the app's page, or with its
  client secret. A test person has places, a phone and a connection. The answer has the tokens of the connection and the
  ids of the places.`),
  code(
    `curl ${baseUrl}/v1/test-people -u "$CLIENT_ID:$CLIENT_SECRET" -H 'Content-Type: application/json' \\
  -d '{ "places": [{ "label": "Home", "lat": 52.37, "lon": 4.9 }] }'`
  ),
  prose(`Make a rule with the access token. Then let the person arrive, leave or stay (\`arrive\`, \`leave\`, \`stay\`), and
  the rule fires as for a user. The readings of a trip have times in the past, so the call answers at once.`),
  code(
    `curl ${baseUrl}/v1/test-people/$PERSON_ID/trips -u "$CLIENT_ID:$CLIENT_SECRET" -H 'Content-Type: application/json' \\
  -d '{ "trip": "arrive", "place_id": "'"$PLACE_ID"'" }'`
  ),
  prose(`Your program needs no public address: \`npm run listen\` in a clone of this service [forwards events](${DOCS}/webhooks#debugging) to your
  machine, and *Send a test* on the page of an endpoint posts a \`ping\` or a sample of any event. The holder of an
  app (the person in whose name it is registered) can also connect it while it is in the sandbox.`)
]

const time = () => [
  prose(`A server of your own can run on a clock that you move: an end after 90 days, a grace of 14 days or a day of
  failed webhooks then takes seconds. Webhooks really arrive at your program, at the times at which they are due.`),
  code(
    `DATA_DIR=./test-world ALLOW_INSECURE_WEBHOOKS=true npm start -- --clock virtual --seed app
curl http://localhost:8080/dev/clock --json '{"advance":"14d"}'`
  ),
  prose(`Leave \`--seed\` out when you start the server again. \`docs/virtual-time.md\` of the source has all options,
  snapshots and a whole test suite to copy. This server's clock is an ordinary one, unless a bar on each page says
  otherwise.`)
]

const rotate = () =>
  prose(`- **The signing secret of an endpoint:** *New signing secret* on the endpoint's page. Both secrets sign for a
  day, so nothing fails while you [change yours](${DOCS}/webhooks#rotation).
- **The client secret of an app:** registering redirect URIs [issues a new one](${DOCS}/authorization#app). The
  old one works for ${duration(ClientSecret.OVERLAP)} more.
- **A client secret that somebody else may have:** *Replace the secret now* on the app's page, or
  [the same call](${DOCS}/reference/apps#appsReplaceSecret). Every other secret ends at once.
- **A refresh token:** it rotates by itself at [each refresh](${DOCS}/authorization#tokens). Keep the newest.
- **The token of a phone:** remove the device in the portal and add it again.`)

const changed = () =>
  prose(`[Changes](${DOCS}/changes) lists by day what changed for apps, with a [feed](${DOCS}/changes.atom). An operation
  that will go is marked in the [reference](${DOCS}/reference) and answers with \`Deprecation\`.`)

const error = () =>
  prose(`Each code has a page: \`${DOCS}/errors/\` and the code, such as [missing_scope](${DOCS}/errors/missing_scope).
  [Errors and limits](${DOCS}/errors) lists them all. Keep \`X-Request-Id\` in your log: with it the operator finds the
  request.`)
