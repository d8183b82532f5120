import { HttpApi, OpenApi } from "@effect/platform"
import { Context, Option } from "effect"
import { Api } from "../../Api.js"
import type { ServiceOptions } from "../../HttpOptions.js"
import { operations } from "../../OpenApiDocument.js"
import * as OpenApiDocument from "../../OpenApiDocument.js"
import { callerOf } from "../../openapi/Security.js"
import { type Json, list, object, text } from "../../openapi/Json.js"

/** The parts of the OpenAPI document that the reference pages need. `GET /openapi.json` serves the whole document. */
export interface Contract {
  readonly schemas: Json
  readonly webhooks: Json
  readonly tags: ReadonlyArray<Tag>
}

export interface Tag {
  readonly name: string
  readonly description: string
  readonly path: string
  readonly audience: Audience
  readonly operations: ReadonlyArray<Operation>
}

export interface Operation {
  /** The anchor on the page of the operation's tag. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly scheme: string | null
  readonly needs: ReadonlyArray<string>
  readonly json: Json
}

/**
 * For each kind of caller, a heading and a description. The path and the authentication of a tag's first operation
 * decide which kind of caller the tag is for.
 */
export const AUDIENCES = {
  app: { name: "For your app's server", description: "With an access token, or with the app's own credentials." },
  developer: { name: "For developers", description: "Signed in. The developer's pages use the same operations." },
  user: { name: "For users", description: "Signed in. The portal's pages use the same operations." },
  phone: { name: "For phones", description: "With the token of a phone." },
  staff: { name: "For reviewers and admins", description: "Signed in, with a role." }
} as const
type Audience = keyof typeof AUDIENCES

export const make = (options: ServiceOptions): Contract => {
  const document = OpenApiDocument.make(Api, options)
  const all = operations(document).map(({ method, operation, path }) => ({
    tag: text(list(operation["tags"])[0]),
    operation: {
      id: text(operation["operationId"]),
      method,
      path,
      summary: text(operation["summary"]),
      description: text(operation["description"]),
      isDeprecated: operation["deprecated"] === true,
      ...callerOf(operation),
      json: operation
    }
  }))
  return {
    schemas: object(object(document["components"])["schemas"]),
    webhooks: object(document["webhooks"]),
    tags: list(document["tags"]).flatMap((value) => {
      const tag = object(value)
      const name = text(tag["name"])
      const own = all.filter((one) => one.tag === name).map(({ operation }) => operation)
      const [first] = own
      return first === undefined
        ? []
        : [
            {
              name,
              description: text(tag["description"]),
              path: pathOf(name),
              audience: audienceOf(first),
              operations: own
            }
          ]
    })
  }
}

const audienceOf = ({ path, scheme }: Operation): Audience => {
  if (path.startsWith("/v1/developer/")) return "developer"
  if (path.startsWith("/v1/admin/")) return "staff"
  if (path.startsWith("/v1/phone/")) return "phone"
  return scheme === "accessToken" || scheme === "clientSecret" || path.startsWith("/v1/oauth/") ? "app" : "user"
}

const pathOf = (tag: string): Tag["path"] => `/docs/reference/${tag.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`

/**
 * The paths of the tags' pages. The server needs these paths when it starts, but builds the OpenAPI document only when
 * somebody requests a page that needs it. So this function reads the names of the tags from the contract.
 */
export const tagPaths = (): ReadonlyArray<Tag["path"]> => {
  const names: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: ({ mergedAnnotations }) => {
      names.push(...Option.toArray(Context.getOption(mergedAnnotations, OpenApi.Title)))
    },
    onEndpoint: () => undefined
  })
  return Array.from(new Set(names.map(pathOf)))
}

/** The address of the operation in the reference. */
export const linkTo = (tag: Tag, operation: Operation): string => `${tag.path}#${operation.id}`
