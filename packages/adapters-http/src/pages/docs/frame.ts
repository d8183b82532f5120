import { Language, Timestamp } from "@place-access/domain/shared"
import * as Cached from "../../edge/Cached.js"
import { type Html, html, Html as Raw, type Value } from "../../html/Html.js"
import * as Page from "../kit/Page.js"
import * as Routes from "../kit/Routes.js"

export const DOCS = "/docs"

export const SECTIONS = [
  { path: DOCS, name: "Overview" },
  { path: `${DOCS}/quick-start`, name: "Quick start" },
  { path: `${DOCS}/authorization`, name: "Authorization" },
  { path: `${DOCS}/webhooks`, name: "Webhooks" },
  { path: `${DOCS}/errors`, name: "Errors and limits" },
  { path: `${DOCS}/reference`, name: "Reference" },
  { path: "/developer", name: "Your apps" }
] as const

/** A heading with an anchor, which the page's table of contents links to. */
export interface Section {
  readonly id: string
  readonly name: string
  readonly content: Value
}

interface Document {
  readonly path: string
  readonly title: string
  readonly lead: Value
  /** Content between the head and the sections. */
  readonly above?: Value
  readonly sections: ReadonlyArray<Section>
  /** Whether the sections bring their own headings. */
  readonly hasHeadings?: boolean
  /** Content after the sections. */
  readonly content?: Value
  /** More navigation, after the page's table of contents, on wide screens only. */
  readonly beside?: Value
}

/**
 * A page of the documentation. It is the same for everybody as long as this server runs, so the first request makes it
 * and later requests get the cached page.
 */
export const page = (path: string, make: () => Omit<Document, "path">) =>
  Routes.get(
    path,
    Cached.handler(Page.CONTENT_TYPE, () => render({ path, ...make() }), Page.headers({}))
  )

/** The documentation is in English (decision languages-1). */
const ENGLISH = { language: Language.DEFAULT, zone: null, now: Timestamp.make(0) }

const render = ({ above, beside, content: rest, hasHeadings = false, lead, path, sections, title }: Document): string =>
  Page.document(
    {
      title,
      reader: null,
      sections: SECTIONS,
      current: SECTIONS.findLast((one) => path === one.path || path.startsWith(`${one.path}/`))?.path ?? DOCS,
      main: html`<div class="docs">
        <nav class="toc" aria-label="Contents">
          ${
            sections.length > 1 &&
            html`<p>On this page</p>
              <ul>
                ${sections.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}
              </ul>`
          }
          ${beside !== undefined && html`<div class="beside">${beside}</div>`}
        </nav>
        <article>
          <h1>${title}</h1>
          <p class="lead">${lead}</p>
          ${above}
          ${sections.map(({ content, id, name }) =>
            hasHeadings
              ? content
              : html`<h2 id="${id}">${name}</h2>
                  ${content}`
          )}
          ${rest}
        </article>
      </div>`
    },
    ENGLISH
  )

/** A block of code to copy. Nothing is inserted into the text: a long line only looks broken. */
export const code = (text: string, language: "bash" | "json" | "http" | "js" | "python" = "bash"): Html =>
  html`<pre><code class="language-${language}">${text.replace(/\n$/, "")}</code></pre>`

export const json = (value: unknown): Html => code(JSON.stringify(value, null, 2), "json")

/** A table with headings. On a phone each row becomes a stack of cells. */
export const table = (
  caption: string,
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Value> | { readonly id: string; readonly cells: ReadonlyArray<Value> }>
): Html =>
  html`<div class="scroll">
    <table class="stack">
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const [id, cells] = "cells" in row ? [row.id, row.cells] : [undefined, row]
          return html`<tr ${id !== undefined && new Raw(` id="${id}"`)}>
            ${cells.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
