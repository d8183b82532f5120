import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import { html } from "../html/Html.js"
import { texts } from "../languages/index.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"
import * as TodayPage from "./today/today.js"

const words = texts.signIn.home

/** A signed-in person sees the page Today. Everybody else reads what the service is. */
const home = Effect.gen(function* () {
  const options = yield* HttpOptions
  const visitor = yield* Visitor.current
  if (Option.isSome(visitor)) {
    const today = TodayPage.page(visitor.value, yield* Visitor.reader(visitor.value))
    return yield* Visitor.withFactor(visitor.value, today)
  }
  return yield* respond({
    title: words.title,
    reader: null,
    width: "middle",
    main: html`<h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <p class="actions">
        <a class="button" href="/sign-in">${texts.signIn.title}</a>
        ${options.signUp === "open" && html`<a class="button second" href="/sign-up">${words.create}</a>`}
      </p>
      <h2>${words.developers}</h2>
      <p>${words.developersText}</p>`
  })
})

export const routes = [Routes.get("/", home)]
