import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { Geometry } from "@place-access/domain/places"
import pg from "pg"
import * as People from "../harness/People.js"
import type { Statement } from "../harness/statements.js"
import * as Replay from "./Replay.js"

// A server that answers `GET …/presence` with nothing but `node:http` and `pg`, as a baseline for the product. The
// server prepares and runs the product's statements, on as many connections as the product. The server makes the checks
// that an access token needs, and gives the same answer with the same headers. Before the answer the server commits the
// entry of the access log, in an INSERT that simultaneous requests share.

export interface Order {
  readonly port: number
  readonly databaseUrl: string
  readonly statements: ReadonlyArray<Statement>
  /** An answer of the product, whose headers this server copies into its own answers. */
  readonly answer: { readonly headers: Readonly<Record<string, string>> }
}

const PATH = /^\/v1\/answers\/places\/(plc_b(\d+))\/presence\?max_age_s=(\d+)$/
const TOKEN = /^Bearer (pa_at\.con_b\d+\.[0-9a-z]{43,64})$/

const serve = ({ answer, databaseUrl, port, statements }: Order): void => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
  const replay = Replay.make(pool, statements)
  // Leaves out the headers that Node adds itself.
  const { connection: _, date: __, "keep-alive": ___, ...fixed } = answer.headers

  const presence = async (url: string, authorization: string | undefined) => {
    const [, placeId, number, maxAgeS] = PATH.exec(url) ?? []
    const [, token] = TOKEN.exec(authorization ?? "") ?? []
    if (token === undefined || number === undefined) return undefined
    const results = await replay.run(Number(number))
    const rows = results.flat()
    const grant = rows.find((row) => "token_hash" in row)
    const place = rows.find((row) => row["place_id"] === placeId && "radius_m" in row)
    const now = Date.now()
    if (grant === undefined || place === undefined || !isLive(grant, token, now)) return undefined
    const circle = { lat: place["lat"] as number, lon: place["lon"] as number, radiusM: place["radius_m"] as number }
    let [state, asOf] = ["unknown", null as Date | null]
    for (const row of rows) {
      const capturedAt = row["captured_at"]
      if (!(capturedAt instanceof Date) || capturedAt.getTime() < now - Number(maxAgeS) * 1_000) continue
      const point = { lat: row["lat"] as number, lon: row["lon"] as number }
      const fromEdgeM = Geometry.distanceM(circle, point) - circle.radiusM
      const bandM = Math.max(Geometry.MIN_BAND_M, (row["accuracy_m"] as number | null) ?? 0)
      if (Math.abs(fromEdgeM) <= bandM) continue
      ;[state, asOf] = [fromEdgeM < 0 ? "yes" : "no", capturedAt]
      break
    }
    const used = (rows.find((row) => "used" in row)?.["used"] as number | undefined) ?? 0
    return { used, body: { state, place: { id: placeId, label: place["label"], kind: place["kind"] }, asOf } }
  }

  const limit = Number(fixed["ratelimit-limit"])
  createServer((request, response) => {
    if (request.url === "/readyz") return void response.end()
    presence(request.url ?? "", request.headers.authorization).then(
      (found) => {
        if (found === undefined) return response.writeHead(401).end()
        const body = JSON.stringify(found.body)
        return response
          .writeHead(200, {
            ...fixed,
            "content-length": Buffer.byteLength(body),
            "ratelimit-remaining": limit - found.used
          })
          .end(body)
      },
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        response.writeHead(500, { "content-length": 0 }).end()
      }
    )
  }).listen(port, "127.0.0.1")
}

const isLive = (grant: Replay.Row, token: string, now: number): boolean =>
  grant["token_hash"] === createHash("sha256").update(token).digest("hex") &&
  grant["token_revoked_at"] === null &&
  now - (grant["token_issued_at"] as Date).getTime() < 3_600_000 &&
  grant["ended_at"] === null &&
  grant["revoked_at"] === null &&
  grant["token_family_id"] === grant["family_id"] &&
  (grant["standard_expires_at"] as Date).getTime() > now &&
  (grant["held_scopes"] as ReadonlyArray<string>).includes("location.place.current") &&
  (grant["places"] as ReadonlyArray<{ readonly placeId: string }>).length > 0 &&
  People.APP === grant["app_id"]

process.once("message", (order: Order) => serve(order))
