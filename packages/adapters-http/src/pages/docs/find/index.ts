/**
 * This module searches the documentation: it makes the index of all sections, and the page with the results for
 * browsers without scripts. For programs, each page has a copy in Markdown, and `/llms.txt` lists the copies. The index
 * and the copies are made from the pages, so they cannot contradict the pages.
 */

import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import * as Cached from "../../../edge/Cached.js"
import { html, type Value } from "../../../html/Html.js"
import type { ServiceOptions } from "../../../HttpOptions.js"
import * as Page from "../../kit/Page.js"
import * as Ranking from "../../kit/scripts/ranking.js"
import * as Routes from "../../kit/Routes.js"
import { DOCS, type DocPage, type Document, ENGLISH, markdownPath, render, SEARCH_INDEX } from "../frame.js"
import { markdown } from "../markdown.js"

/**
 * The index has at most this number of characters of a section's text. Browsers load the index, and more text does not
 * help people to find a section.
 */
const TEXT_MAX = 4_000
const RESULTS_MAX = 20
const QUESTION_MAX = 100

/** Reverses the escaping of the pages' templates. */
const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const textOf = (content: Value): string =>
  unescaped(
    html`${content}`
      .in(ENGLISH)
      .replace(/<svg[^]*?<\/svg>/g, " ")
      .replace(/<[^>]*>/g, " ")
  )
    .replace(/\s+/g, " ")
    .toLowerCase()
    .slice(0, TEXT_MAX)

/** One entry for the head of the page, and one entry for each section and for each part of a section. */
const entriesOf = (path: string, { above, lead, sections, title }: Document): ReadonlyArray<Ranking.SearchEntry> => [
  { to: path, page: title, heading: title, text: textOf([lead, above]) },
  ...sections.flatMap(({ content, id, name, parts = [] }) => [
    { to: `${path}#${id}`, page: title, heading: name, text: textOf(content) },
    ...parts.map((part) => ({ to: `${path}#${part.id}`, page: title, heading: part.name, text: "" }))
  ])
]

/**
 * The routes of the pages, their copies in Markdown, the search, and the list for language models (decision wire-5).
 */
export const routes = ({ baseUrl }: ServiceOptions, pages: ReadonlyArray<DocPage>) => {
  let made: ReadonlyArray<Ranking.SearchEntry> | undefined
  const entries = () => (made ??= pages.flatMap(({ make, path }) => entriesOf(path, make())))
  return [
    ...pages.flatMap(({ make, path }) => [
      Routes.get(
        path,
        Cached.handler(Page.CONTENT_TYPE, () => render(path, make()), Page.headers({ docs: { markdown: null } }))
      ),
      Routes.get(
        markdownPath(path),
        Cached.handler(MARKDOWN, () => markdown(render(path, make()), baseUrl))
      )
    ]),
    Routes.get(
      SEARCH_INDEX,
      Cached.handler("application/json", () => JSON.stringify(entries()))
    ),
    Routes.get(`${DOCS}/search`, search(entries)),
    Routes.get(
      "/llms.txt",
      Cached.handler(MARKDOWN, () => forModels(baseUrl, pages))
    )
  ]
}

const MARKDOWN = "text/markdown; charset=utf-8"

/** Searches on the server, for browsers without scripts. */
const search = (entries: () => ReadonlyArray<Ranking.SearchEntry>) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const typed = new URL(request.url, "http://localhost").searchParams.get("q") ?? ""
    const question = typed.slice(0, QUESTION_MAX)
    const found = Ranking.rank(entries(), question, RESULTS_MAX)
    const text = render(`${DOCS}/search`, results(question, found), question)
    return HttpServerResponse.text(text, {
      contentType: Page.CONTENT_TYPE,
      headers: { ...Page.headers({ docs: { markdown: null } }), "cache-control": "no-store" }
    })
  })

const results = (question: string, found: ReadonlyArray<Ranking.SearchEntry>): Document => ({
  title: "Search",
  about: "What the documentation says about some words",
  lead:
    question.trim() === ""
      ? "Write a few words into the field."
      : `${found.length === 0 ? "Nothing" : `${found.length} ${found.length === 1 ? "section" : "sections"}`} with “${question}”.`,
  above: html`<ul class="plain results">
    ${found.map(
      ({ heading, page, to }) => html`<li><a href="${to}">${heading}</a> <span class="soft small">${page}</span></li>`
    )}
  </ul>`,
  sections: []
})

/** The list of pages for language models (`/llms.txt`), in the form that https://llmstxt.org describes. */
const forModels = (baseUrl: string, pages: ReadonlyArray<DocPage>): string =>
  [
    "# Place-Aware Access Service",
    "",
    "> Apps ask where a person is or was, by place and with the person's consent (OAuth 2.1, PKCE), and get signed",
    "> webhooks when the person arrives at a place, leaves it or stays there.",
    "",
    "## Documentation",
    "",
    ...pages.map(({ make, path }) => {
      const { about, title } = make()
      return `- [${title}](${baseUrl}${markdownPath(path)}): ${about}`
    }),
    "",
    "## Contract",
    "",
    `- [openapi.json](${baseUrl}/openapi.json): every operation, schema and webhook, OpenAPI 3.1`,
    ""
  ].join("\n")
