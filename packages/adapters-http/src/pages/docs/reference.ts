import type { ServiceOptions } from "../../HttpOptions.js"
import * as ErrorCatalogue from "../../openapi/ErrorCatalogue.js"
import { type Json, list, object, refName, text } from "../../openapi/Json.js"
import { type Html, html, nothing, type Value } from "../../html/Html.js"
import { AUDIENCES, type Contract, linkTo, type Operation, type Tag } from "./contract.js"
import { curl } from "./curl.js"
import { code, DOCS, json, page, table } from "./frame.js"
import { errorPath } from "./errorPages.js"
import { inline, prose } from "./prose.js"
import { fields, typeOf, variants } from "./schemaWords.js"
import { APP_WITH_SECRET, schemeOf } from "./schemes.js"

export const pages = (options: ServiceOptions, contract: () => Contract, tags: ReadonlyArray<Tag["path"]>) => [
  page(`${DOCS}/reference`, () => index(contract())),
  ...tags.map((path) => page(path, () => tagPage(options, contract(), path)))
]

const byAudience = ({ tags }: Contract) =>
  Object.entries(AUDIENCES).map(([audience, words]) => ({
    audience,
    ...words,
    tags: tags.filter((tag) => tag.audience === audience)
  }))

const index = (contract: Contract) => ({
  title: "Reference",
  about: "Every operation, by who may call it",
  lead: html`Every operation, generated from the contract that the server itself uses. For tools:
    <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).`,
  sections: byAudience(contract).map(({ audience, description, name, tags }) => ({
    id: audience,
    name,
    content: html`<p>${description}</p>
      ${tags.map(
        (tag) =>
          html`<h3><a href="${tag.path}">${tag.name}</a></h3>
            <p>${inline(tag.description)}</p>
            <ul class="plain operations">
              ${tag.operations.map(
                (operation) =>
                  html`<li>
                    ${method(operation)}
                    <div>
                      <a href="${linkTo(tag, operation)}">${inline(operation.summary)}</a
                      >${operation.isDeprecated && html` <span class="badge warn">Deprecated</span>`}<br />
                      <code>${operation.path}</code>
                    </div>
                  </li>`
              )}
            </ul>`
      )}`
  }))
})

const method = ({ method }: Operation): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

const tagPage = (options: ServiceOptions, contract: Contract, path: string) => {
  const tag = contract.tags.find((one) => one.path === path)
  if (tag === undefined) throw new Error(`the contract has no tag for ${path}`)
  return {
    title: tag.name,
    about: tag.description.replaceAll("`", ""),
    lead: inline(tag.description),
    hasHeadings: true,
    beside: html`<p>Reference</p>
      <ul>
        ${contract.tags
          .filter((one) => one.audience === tag.audience)
          .map(
            (one) =>
              html`<li>
                <a href="${one.path}" ${one === tag && CURRENT}>${one.name}</a>
              </li>`
          )}
        <li><a href="${DOCS}/reference">All of it</a></li>
      </ul>`,
    sections: tag.operations.map((operation) => ({
      id: operation.id,
      name: operation.summary,
      content: section(options, contract, operation)
    }))
  }
}

const CURRENT = html`aria-current="page"`

const section = (options: ServiceOptions, { schemas }: Contract, operation: Operation): Html =>
  html`<section class="operation" id="${operation.id}" aria-labelledby="${operation.id}-name">
    <h2 id="${operation.id}-name">
      ${inline(operation.summary)}${operation.isDeprecated && html` <span class="badge warn">Deprecated</span>`}
    </h2>
    <p class="route">${method(operation)}<code>${operation.path}</code></p>
    ${operation.description !== "" && prose(operation.description)}
    <dl>
      <dt>Who may call</dt>
      <dd>${caller(operation)}</dd>
      ${needs(operation)}
    </dl>
    ${parameters(operation, schemas)} ${bodies(operation, schemas)}
    <p class="title">Example</p>
    ${code(curl(options.baseUrl, operation.method, operation.path, operation.json))} ${answers(operation, schemas)}
  </section>`

const caller = ({ path, scheme }: Operation): Value => {
  if (scheme !== null) return schemeOf(scheme).caller
  return path === "/v1/oauth/token" || path === "/v1/oauth/revoke" ? APP_WITH_SECRET : "Anybody"
}

const needs = ({ needs, scheme }: Operation): Value => {
  if (scheme === "session") {
    return (
      needs.length > 0 &&
      html`<dt>Role</dt>
        <dd>${needs.map((role) => html`<code>${role}</code>`)}${needs.includes("reviewer") && ", or an admin"}</dd>`
    )
  }
  if (scheme !== "accessToken") return nothing
  const scopes = needs.map((scope) => html`<a href="${DOCS}/authorization#${scope}"><code>${scope}</code></a> `)
  return html`<dt>Scope</dt>
    <dd>${needs.length === 0 ? "None: any live token" : needs.length === 1 ? scopes : html`One of ${scopes}`}</dd>`
}

const HEADINGS = ["Field", "Type", "Meaning"] as const

const name = (text: string, isRequired: boolean): Html =>
  html`<code>${text}</code>${!isRequired && html` <span class="soft small">optional</span>`}`

const parameters = ({ json }: Operation, schemas: Json): Value => {
  const rows = list(json["parameters"])
    .map(object)
    .map((one) => [
      name(text(one["name"]), one["required"] === true),
      inline(typeOf(object(one["schema"]), schemas)),
      html`<span class="soft">In the ${text(one["in"])}.</span>
        ${inline(text(one["description"]) || text(object(one["schema"])["description"]))}`
    ])
  return (
    rows.length > 0 &&
    html`<p class="title">Parameters</p>
      ${table("Parameters", ["Parameter", "Type", "Meaning"], rows)}`
  )
}

const bodies = ({ json }: Operation, schemas: Json): Value =>
  Object.entries(object(object(json["requestBody"])["content"])).map(([contentType, media]) =>
    variants(object(object(media)["schema"])).map(
      (variant) =>
        html`<p class="title">
            Body, <code>${contentType}</code>${variant.name !== null && html`: ${wordsOf(variant.name)}`}
          </p>
          ${fieldTable(variant.schema, schemas)}`
    )
  )

/** The name of a schema as words: `TokenRequestRefreshToken` becomes "token request refresh token". */
const wordsOf = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()

const fieldTable = (schema: Json, schemas: Json): Html => {
  const all = fields(schema, schemas)
  return all.length === 0
    ? html`<p>${inline(typeOf(schema, schemas))}</p>`
    : table(
        "Fields",
        HEADINGS,
        all.map((field) => [name(field.path, field.isRequired), inline(field.type), inline(field.description)])
      )
}

const answers = ({ json: operation }: Operation, schemas: Json): Html => {
  const responses = Object.entries(object(operation["responses"])).map(([status, value]) => ({
    status,
    description: text(object(value)["description"]),
    contentType: Object.keys(object(object(value)["content"]))[0],
    media: object(Object.values(object(object(value)["content"]))[0])
  }))
  return html`${responses
      .filter(({ status }) => Number(status) < 400)
      .map(
        ({ contentType, description, media, status }) =>
          html`<p class="title">Answer: ${status}</p>
            ${answer(contentType, media, schemas) ?? html`<p>${description}.</p>`}`
      )}
    <p class="title">Errors</p>
    <ul class="codes">
      ${responses
        .filter(({ status }) => Number(status) >= 400)
        .flatMap(({ media }) => Object.keys(object(media["examples"])))
        .map(
          (one) =>
            html`<li>
              <a href="${errorPath(one)}">${STATUS.get(one)} <code>${one}</code></a>
            </li>`
        )}
    </ul>`
}

const answer = (contentType: string | undefined, media: Json, schemas: Json): Html | undefined => {
  if (contentType === undefined) return undefined
  if (contentType === "application/json") return answerBody(media, schemas)
  const schema = object(media["schema"])
  const name = refName(schema)
  const words = text((name === undefined ? schema : object(schemas[name]))["description"])
  return html`<p><code>${contentType}</code>: ${inline(words || typeOf(schema, schemas))}.</p>`
}

const STATUS: ReadonlyMap<string, number> = new Map(ErrorCatalogue.ENTRIES.map(({ code, status }) => [code, status]))

const answerBody = (media: Json, schemas: Json): Html =>
  html`${media["example"] !== undefined && json(media["example"])}
    <details>
      <summary>Fields of the answer</summary>
      ${variants(object(media["schema"])).map(({ schema }) => fieldTable(schema, schemas))}
    </details>`
