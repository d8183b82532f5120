import type { ServiceOptions } from "../../HttpOptions.js"
import * as ErrorCatalogue from "../../openapi/ErrorCatalogue.js"
import { object } from "../../openapi/Json.js"
import { html, type Value } from "../../html/Html.js"
import { type Contract, linkTo, type Operation } from "./contract.js"
import { DOCS, json, page, type Section } from "./frame.js"
import { inline, prose } from "./prose.js"

/** The address of the page about an error code. The body of an error contains this address as `doc_url`. */
export const errorPath = (code: string): string => `${DOCS}/errors/${code}`

/** One page for each error code. */
export const pages = (options: ServiceOptions, contract: () => Contract) =>
  ErrorCatalogue.ENTRIES.map(({ advice, code, meaning, status }) =>
    page(errorPath(code), () => ({
      title: code,
      about: `${status}: ${meaning}`,
      lead: `${status}. ${meaning}.`,
      sections: [
        { id: "do", name: "What to do", content: prose(advice) },
        { id: "example", name: "Example", content: json(ErrorCatalogue.exampleOf(code, options)) },
        ...answeredBy(contract(), code)
      ],
      content: html`<p>
        <a href="${DOCS}/errors#order">What is checked first</a> · <a href="${DOCS}/errors#codes">Every code</a>
      </p>`
    }))
  )

const answeredBy = (contract: Contract, code: string): ReadonlyArray<Section> => {
  const found = contract.tags.flatMap((tag) =>
    tag.operations.filter((operation) => codesOf(operation).includes(code)).map((operation) => ({ tag, operation }))
  )
  const all = contract.tags.flatMap(({ operations }) => operations).length
  if (found.length === 0) return []
  const content: Value =
    found.length === all
      ? inline(`Every operation of the [reference](${DOCS}/reference) can answer with it.`)
      : html`<ul>
          ${found.map(
            ({ operation, tag }) =>
              html`<li>
                <a href="${linkTo(tag, operation)}">${inline(operation.summary)}</a>
                <code>${operation.method} ${operation.path}</code>
              </li>`
          )}
        </ul>`
  return [{ id: "operations", name: "Which operations answer with it", content }]
}

const codesOf = ({ json: operation }: Operation): ReadonlyArray<string> =>
  Object.values(object(operation["responses"])).flatMap((response) =>
    Object.values(object(object(response)["content"])).flatMap((media) =>
      Object.keys(object(object(media)["examples"]))
    )
  )
