import { HttpServerResponse } from "@effect/platform"
import { type App, AppLogo, findLogo } from "@place-access/domain/apps"
import { AppId } from "@place-access/domain/shared"
import { Effect, Option, Schema } from "effect"
import { type Html, html, type Text } from "../html/Html.js"
import { param } from "./kit/Params.js"
import * as Routes from "./kit/Routes.js"
import * as Visitor from "./kit/Visitor.js"

/** The picture of an app's logo, if any. The app's name stands beside the picture, so the `alt` text is empty. */
export const image = (app: Pick<App.App, "id" | "logo">): Html | false =>
  app.logo !== null && picture(app.id, app.logo, "")

/** The small picture of an app's logo beside its name in a list; nothing for an app without a logo. */
export const icon = ({ id, logo }: Pick<App.App, "id" | "logo">): Html | false =>
  logo !== null && html`<img class="logo icon" src="${address(id, logo)}" width="32" height="32" alt="" />`

const address = (id: AppId, digest: string): string => `/app-logos/${id}/${digest}.png`

export const picture = (id: AppId, digest: string, alt: Text): Html =>
  html`<img class="logo" src="${address(id, digest)}" width="56" height="56" alt="${alt}" />`

/**
 * The address of a logo contains the digest of the picture, so the content at an address never changes. But when an app
 * is revoked, its logo must disappear. So a cache may keep a logo for one day only.
 */
const PUBLIC = "public, max-age=86400"

const File = Schema.transform(Schema.String, AppLogo.LogoDigest, {
  decode: (name) => (name.endsWith(".png") ? name.slice(0, -".png".length) : ""),
  encode: (digest) => `${digest}.png`
})

const show = Effect.gen(function* () {
  const id = yield* param("app", AppId, "logo")
  const digest = yield* param("file", File, "logo")
  // Without a visitor, `findLogo` finds public logos only. So the service reads the session only for a logo that is not
  // public.
  const found = yield* findLogo(id, digest, Option.none()).pipe(
    Effect.catchTag("NotFound", () =>
      Effect.flatMap(Visitor.current, (visitor) =>
        findLogo(
          id,
          digest,
          Option.map(visitor, ({ account }) => account)
        )
      )
    )
  )
  return HttpServerResponse.uint8Array(found.bytes, {
    contentType: "image/png",
    headers: { "cache-control": found.isPublic ? PUBLIC : "private, no-store" }
  })
})

export const routes = [Routes.get("/app-logos/:app/:file", show)]
