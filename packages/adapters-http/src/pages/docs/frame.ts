import { Language, Timestamp } from "@place-access/domain/shared"
import { type Html, html, Html as Raw, type Value } from "../../html/Html.js"
import * as Page from "../kit/Page.js"

export const DOCS = "/docs"

export const SECTIONS = [
  { path: DOCS, name: "Overview" },
  { path: `${DOCS}/quick-start`, name: "Quick start" },
  { path: `${DOCS}/how-to`, name: "How do I …" },
  { path: `${DOCS}/authorization`, name: "Authorization" },
  { path: `${DOCS}/webhooks`, name: "Webhooks" },
  { path: `${DOCS}/errors`, name: "Errors and limits" },
  { path: `${DOCS}/reference`, name: "Reference" },
  { path: `${DOCS}/changes`, name: "Changes" },
  { path: "/developer", name: "Your apps" }
] as const

/** A part of a page under a heading. The page's table of contents links to the heading's anchor. */
export interface Section {
  readonly id: string
  readonly name: string
  readonly content: Value
  /** Parts of the section that have names of their own. The search finds the parts by these names. */
  readonly parts?: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

export interface Document {
  readonly title: string
  /** A sentence about the page, for lists of pages. It is plain text without marks of CommonMark. */
  readonly about: string
  readonly lead: Value
  /** Content between the head and the sections. */
  readonly above?: Value
  readonly sections: ReadonlyArray<Section>
  /** Whether the content of each section has its own heading. If so, the page adds no heading. */
  readonly hasHeadings?: boolean
  /** Content after the sections. */
  readonly content?: Value
  /** More navigation, after the page's table of contents, on wide screens only. */
  readonly beside?: Value
}

/** A page of the documentation. While a server runs, the page is the same for everybody, so its answer is cached. */
export interface DocPage {
  readonly path: string
  readonly make: () => Document
}

export const page = (path: string, make: () => Document): DocPage => ({ path, make })

/** The documentation is in English (decision languages-1). */
export const ENGLISH = { language: Language.DEFAULT, zone: null, now: Timestamp.make(0) }

/** The address of the index that the script of the pages searches. */
export const SEARCH_INDEX = `${DOCS}/search.json`

/**
 * The search form. Browsers without scripts send the form to the server. With scripts, the page shows the results while
 * the person types.
 */
const searchForm = (question: string): Html =>
  html`<form class="docs-search" role="search" action="${DOCS}/search" data-index="${SEARCH_INDEX}">
    <label for="docs-search">Search the documentation</label>
    <input id="docs-search" type="search" name="q" value="${question}" autocomplete="off" maxlength="100" />
    <button class="second">Search</button>
  </form>`

/** The address of a page's copy in Markdown, for programs. */
export const markdownPath = (path: string): string => `${path}.md`

const NO_TWIN: ReadonlyArray<string> = [`${DOCS}/search`]

/** A page of the documentation as HTML. `question`: the content of the search field. */
export const render = (
  path: string,
  { above, beside, content: rest, hasHeadings = false, lead, sections, title }: Document,
  question = ""
): string =>
  Page.document(
    {
      title,
      reader: null,
      sections: SECTIONS,
      docs: { markdown: NO_TWIN.includes(path) ? null : markdownPath(path) },
      current: SECTIONS.findLast((one) => path === one.path || path.startsWith(`${one.path}/`))?.path ?? DOCS,
      main: html`<div class="docs">
        <nav class="toc" aria-label="Contents">
          ${searchForm(question)}
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

/**
 * A block of code that readers copy. The function adds nothing to the text, not even to break a long line: the style
 * breaks the line.
 */
export const code = (text: string, language: CodeLanguage = "bash"): Html =>
  html`<pre><code class="language-${language}">${text.replace(/\n$/, "")}</code></pre>`

type CodeLanguage = "bash" | "json" | "http" | "js" | "python" | "go" | "php" | "ruby" | "java" | "csharp"

/**
 * An example in one programming language. `languages` shows it together with examples that do the same in other
 * languages.
 */
export interface CodeExample {
  readonly id: string
  readonly name: string
  readonly language: CodeLanguage
  readonly code: string
  /** A text before the code. */
  readonly note?: Value
}

/**
 * An example in several languages. The page shows the languages one after the other, and a script turns them into tabs.
 */
export const languages = (label: string, examples: ReadonlyArray<CodeExample>): Html =>
  html`<div class="languages" data-label="${label}">
    ${examples.map(
      (example) =>
        html`<div id="${example.id}">
          <p class="title">${example.name}</p>
          ${example.note !== undefined && html`<p>${example.note}</p>`} ${code(example.code, example.language)}
        </div>`
    )}
  </div>`

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
