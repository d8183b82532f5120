import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import { html } from "./kit/Html.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"
import * as TodayPage from "./today/today.js"

/** A signed-in person sees Today, everybody else what the service is. */
const home = Effect.gen(function* () {
  const options = yield* HttpOptions
  const visitor = yield* Visitor.current
  if (Option.isSome(visitor)) return yield* TodayPage.page(visitor.value, yield* Visitor.reader(visitor.value))
  return respond({
    title: "Your places, on your terms",
    reader: null,
    width: "middle",
    main: html`<h1>Your places, on your terms</h1>
      <p class="lead">
        Apps can ask where you are, but only about the places that you share with them, only as long as you allow, and
        every time they ask you can read about it.
      </p>
      <p class="actions">
        <a class="button" href="/sign-in">Sign in</a>
        ${options.signUp === "open" && html`<a class="button second" href="/sign-up">Create an account</a>`}
      </p>
      <h2>For developers</h2>
      <p>
        Build an app that knows when its users arrive, without ever seeing coordinates. Sign in, then open the developer
        portal. The <a href="/docs">documentation</a> begins with a <a href="/docs/quick-start">quick start</a>; the API
        is described in <a href="/openapi.json">openapi.json</a>, too.
      </p>`
  })
})

export const routes = [Routes.get("/", home)]
