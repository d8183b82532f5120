import { Effect, Option } from "effect"
import { HttpOptions, portalPath } from "../HttpOptions.js"
import { html } from "./kit/Html.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"

const home = Effect.gen(function* () {
  const options = yield* HttpOptions
  const visitor = yield* Visitor.current
  const reader = Option.isSome(visitor) ? yield* Visitor.reader(visitor.value) : null
  const portal = portalPath(options)
  return respond({
    title: "Your places, on your terms",
    reader,
    width: "middle",
    main: html`<h1>Your places, on your terms</h1>
      <p class="lead">
        Apps can ask where you are, but only about the places that you share with them, only as long as you allow, and
        every time they ask you can read about it.
      </p>
      ${
        reader === null
          ? html`<p class="actions">
              <a class="button" href="/sign-in">Sign in</a
              >${options.signUp === "open" && html`<a class="button second" href="/sign-up">Create an account</a>`}
            </p>`
          : html`<ul class="plain grid">
              <li class="card">
                <h2><a href="${portal}/connections">Connected apps</a></h2>
                <p>Who may ask, what, and until when.</p>
              </li>
              <li class="card">
                <h2><a href="${portal}/places">Places</a></h2>
                <p>The places that you can share with apps.</p>
              </li>
              <li class="card">
                <h2><a href="${portal}/devices">Devices</a></h2>
                <p>The phones that send your location.</p>
              </li>
              <li class="card">
                <h2><a href="${portal}/access-log">Access log</a></h2>
                <p>Every request of every app.</p>
              </li>
            </ul>`
      }
      <h2>For developers</h2>
      <p>
        Build an app that knows when its users arrive, without ever seeing coordinates.
        ${
          reader === null
            ? html`Sign in, then open the developer portal.`
            : html`<a href="/developer">Open the developer portal</a>.`
        }
        The <a href="/docs">documentation</a> begins with a <a href="/docs/quick-start">quick start</a>; the API is
        described in <a href="/openapi.json">openapi.json</a>, too.
      </p>`
  })
})

export const routes = [Routes.get("/", home)]
