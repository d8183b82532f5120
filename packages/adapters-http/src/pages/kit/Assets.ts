import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as BaseMap from "./BaseMap.js"
import { mapScript as script } from "./scripts/mapScript.js"
import { baseMapScript } from "./scripts/baseMapScript.js"
import { mapNamesScript } from "./scripts/mapNamesScript.js"
import { deviceScript as watchDevice } from "./scripts/deviceScript.js"
import { filesScript as uploadFiles } from "./scripts/filesScript.js"
import { passkeyScript as askForPasskey } from "./scripts/passkeyScript.js"
import { consentScript as summariseConsent } from "./scripts/consentScript.js"
import { shareScript as sharePosition } from "./scripts/shareScript.js"
import { zoneScript as nameZone } from "./scripts/zoneScript.js"
import * as Routes from "./Routes.js"
import * as TouchIcon from "./icons/TouchIcon.js"
import { docsScript as makeTabs } from "./scripts/docsScript.js"
import * as Ranking from "./scripts/ranking.js"
import { docsStyle } from "./styles/docsStyle.js"
import { printStyle } from "./styles/printStyle.js"
import { style } from "./styles/style.js"

/**
 * A static file. Its name contains a digest of the content, so caches may keep the file forever: a file with another
 * content has another name.
 */
export interface Asset {
  readonly path: `/${string}`
  readonly response: HttpServerResponse.HttpServerResponse
}

const asset = (name: string, extension: string, contentType: string, content: string): Asset => {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 12)
  return {
    path: `/assets/${name}.${digest}.${extension}`,
    response: HttpServerResponse.text(content, {
      contentType,
      headers: { "cache-control": "public, max-age=31536000, immutable" }
    })
  }
}

/** The logo: a pin over a ring. The pin stands for a place, and the ring for the circle around the place. */
const MARK =
  '<path fill="currentColor" fill-rule="evenodd" d="M12 1.5a7 7 0 0 0-7 7c0 4.6 5.2 9.6 6.4 10.7.35.3.85.3 1.2 0C13.8 18.1 19 13.100 19 8.500a7 7 0 0 0-7-7Zm0 4.250a2.750 2.750 0 1 1 0 5.500 2.750 2.750 0 0 1 0-5.500Z"/><path fill="none" stroke="currentColor" stroke-width="1.600" stroke-linecap="round" d="M6.500 18.200c-2 .6-3.300 1.400-3.300 2.100 0 1.300 4 2.200 8.800 2.200s8.800-.9 8.800-2.200c0-.7-1.300-1.500-3.300-2.100"/>'

export const mark = `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${MARK}</svg>`

export const stylesheet = asset("style", "css", "text/css; charset=utf-8", style + docsStyle + printStyle)
export const icon = asset(
  "icon",
  "svg",
  "image/svg+xml",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" color="#17604d">${MARK}</svg>`
)

const require = createRequire(import.meta.url)

/** Reads a file of a package and drops the address of its source map, which this service does not serve. */
const file = (path: string): string => readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")

const JAVASCRIPT = "text/javascript; charset=utf-8"

/** Leaflet as published on npm. The service serves its own copy, because our pages load no code from another host. */
export const mapLibrary = asset("leaflet", "js", JAVASCRIPT, file(require.resolve("leaflet/dist/leaflet.js")))
export const mapStylesheet = asset(
  "leaflet",
  "css",
  "text/css; charset=utf-8",
  file(require.resolve("leaflet/dist/leaflet.css"))
)
export const mapScript = asset("map", "js", JAVASCRIPT, [baseMapScript, mapNamesScript, script].join("\n"))
export const passkeyScript = asset("passkey", "js", JAVASCRIPT, askForPasskey)
export const consentScript = asset("consent", "js", JAVASCRIPT, summariseConsent)
export const deviceScript = asset("device", "js", JAVASCRIPT, watchDevice)
export const filesScript = asset("files", "js", JAVASCRIPT, uploadFiles)
export const shareScript = asset("share", "js", JAVASCRIPT, sharePosition)
export const docsScript = asset("docs", "js", JAVASCRIPT, makeTabs(Ranking.rank.toString()))
export const zoneScript = asset("zone", "js", JAVASCRIPT, nameZone)

const ALL = [
  stylesheet,
  icon,
  mapLibrary,
  mapStylesheet,
  mapScript,
  passkeyScript,
  consentScript,
  zoneScript,
  docsScript,
  deviceScript,
  filesScript,
  shareScript
]

export const routes = [
  ...ALL.map(({ path, response }) => Routes.get(path, Effect.succeed(response))),
  ...BaseMap.routes,
  ...TouchIcon.routes
]
