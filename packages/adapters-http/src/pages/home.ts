import { Effect, Option } from "effect"
import { HttpOptions } from "../HttpOptions.js"
import { type Html, html } from "../html/Html.js"
import { texts } from "../languages/index.js"
import { respond } from "./kit/Page.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"
import * as Example from "./homeExample.js"
import * as TodayPage from "./today/today.js"

const words = texts.signIn.home

const step = ({ name, text }: typeof words.how.places): Html =>
  html`<li>
    <div>
      <h3>${name}</h3>
      <p>${text}</p>
    </div>
  </li>`

/** A signed-in person sees the page Today. Everybody else sees the front page, which says what the service does. */
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
    main: html`<h1>${words.title}</h1>
      <p class="lead">${words.lead}</p>
      <p class="actions">
        <a class="button" href="/sign-in">${texts.signIn.title}</a>
        ${options.signUp === "open" && html`<a class="button second" href="/sign-up">${words.create}</a>`}
      </p>
      <div class="pairs">
        <section aria-labelledby="how">
          <h2 id="how">${words.how.heading}</h2>
          <ol class="steps">
            ${step(words.how.places)} ${step(words.how.decide)} ${step(words.how.read)}
          </ol>
        </section>
        ${Example.consent}
      </div>
      <h2>${words.example.log.heading}</h2>
      <p class="soft">${words.example.log.text}</p>
      ${Example.accessLog}
      <h2>${words.developers}</h2>
      <p>${words.developersText}</p>`
  })
})

export const routes = [Routes.get("/", home)]
