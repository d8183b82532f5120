import { Telemetry } from "@place-access/domain/shared"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as ServerSettings from "../../src/ServerSettings.js"
import * as Worker from "@place-access/worker"
import * as ServeHttp from "../../src/http/serveHttp.js"

const ROOT = join(import.meta.dirname, "../../../..")
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

/**
 * Imports the server and the worker, because a module declares its metrics when it is loaded. The imports must be used,
 * because an unused import is not loaded.
 */
const PROGRAMS = [Worker, ServeHttp]

const manifest = JSON.parse(read("package.json")) as {
  readonly engines: { readonly node: string }
  readonly scripts: Readonly<Record<"start" | "worker", string>>
}

/** The names at `/metrics` of every metric of the service. */
const exported = (): ReadonlySet<string> => {
  const names = Telemetry.all().flatMap(({ kind, name, unit }) => {
    const plain = name.replaceAll(".", "_")
    const suffix = unit === "s" ? "_seconds" : unit === "By" ? "_bytes" : ""
    const full = plain.endsWith(suffix) ? plain : `${plain}${suffix}`
    return kind === "histogram"
      ? [`${full}_bucket`, `${full}_count`, `${full}_sum`]
      : [kind === "counter" ? `${full}_total` : full]
  })
  return new Set(names)
}

/** The metrics in a text of PromQL. The metric `up` is left out, because Prometheus makes it itself. */
const metricsIn = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(/\b(?:place_access|http_server|db_client|nodejs|process|v8js)_[a-z0-9_]+/g),
    ([name]) => name
  )

const labels = new Set(["http_route", "db_operation_name", "db_client_connection_state"])

describe("the kit of an operator", () => {
  it("starts the programs with the flags of package.json, in the units, the image and the composition", () => {
    const { start, worker } = manifest.scripts
    expect(read(".deploy/systemd/place-access.service")).toContain(`ExecStart=/usr/bin/${start}\n`)
    expect(read(".deploy/systemd/place-access-worker@.service")).toContain(`ExecStart=/usr/bin/${worker}\n`)
    expect(read(".deploy/Dockerfile")).toContain(`CMD ${JSON.stringify(start.split(" ")).replaceAll(",", ", ")}\n`)
    const { services } = parse(read(".deploy/compose.yaml"), { merge: true }) as {
      readonly services: { readonly worker: { readonly command: ReadonlyArray<string> } }
    }
    expect(services.worker.command).toEqual(worker.split(" "))
  })

  it("asks a worker for its health on the port of its metrics, which it sets [leases-4]", () => {
    const { services } = parse(read(".deploy/compose.yaml"), { merge: true }) as {
      readonly services: {
        readonly worker: {
          readonly environment: Readonly<Record<string, string>>
          readonly healthcheck: { readonly test: ReadonlyArray<string> }
        }
      }
    }
    const { environment, healthcheck } = services.worker
    expect(healthcheck.test.join(" ")).toContain(`http://127.0.0.1:${environment["METRICS_PORT"]}/healthz`)
  })

  it("sets only settings that exist", () => {
    const known = new Set([...ServerSettings.all.map(({ name }) => name), "NODE_ENV"])
    const environment = [read(".deploy/systemd/environment.example"), read(".deploy/compose.env.example")].join("\n")
    const { services } = parse(read(".deploy/compose.yaml"), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>
    }
    const named = [
      ...Array.from(environment.matchAll(/^([A-Z_]+)=/gm), ([, name = ""]) => name),
      ...Object.keys(services["server"]?.environment ?? {}),
      ...Object.keys(services["worker"]?.environment ?? {}),
      ...Array.from(
        read(".deploy/Dockerfile")
          .match(/^ENV (.*)$/m)?.[1]
          ?.matchAll(/([A-Z_]+)=/g) ?? [],
        ([, name = ""]) => name
      )
    ]
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((name) => !known.has(name) && name !== "POSTGRES_PASSWORD")).toEqual([])
  })

  it("has one data folder for the unit of the server and for commands, which read the file of settings only", () => {
    const unit = read(".deploy/systemd/place-access.service")
    const folder = `/var/lib/${/^StateDirectory=(.*)$/m.exec(unit)?.[1]}`
    expect(unit).toMatch(new RegExp(`^Environment=.*\\bDATA_DIR=${folder}( |$)`, "m"))
    expect(read(".deploy/systemd/environment.example")).toMatch(new RegExp(`^DATA_DIR=${folder}$`, "m"))
  })

  it("builds the image from a Node.js that the service accepts: the one that the tests run on", () => {
    const version = /^FROM node:([\d.]+)-/m.exec(read(".deploy/Dockerfile"))?.[1] ?? ""
    expect(read(".node-version").trim().startsWith(`${version}.`)).toBe(true)
  })

  it("asks for metrics that the service has, in every alert and every panel", () => {
    expect(PROGRAMS).toHaveLength(2)
    const known = exported()
    for (const path of ["rules.yaml", "rules.test.yaml", "grafana.json"]) {
      const used = metricsIn(read(`.deploy/monitoring/${path}`)).filter((name) => !labels.has(name))
      expect([path, used.length > 3, used.filter((name) => !known.has(name))]).toEqual([path, true, []])
    }
  })

  it("has a line in docs/release.md for every alert", () => {
    const { groups } = parse(read(".deploy/monitoring/rules.yaml"), { merge: true }) as {
      readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string }> }>
    }
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
    const listed = Array.from(read("docs/release.md").matchAll(/^\| `(PlaceAccess\w+)` \|/gm), ([, name]) => name)
    expect(listed).toEqual(alerts)
  })

  it("starts every container again after a reboot of the machine", () => {
    const { services } = parse(read(".deploy/compose.yaml"), { merge: true }) as {
      readonly services: Readonly<Record<string, { readonly restart: string }>>
    }
    const policies = Object.entries(services).map(([name, { restart }]) => [name, restart])
    expect(policies).toEqual(["server", "worker", "database"].map((name) => [name, "unless-stopped"]))
  })

  it("takes no server away for a 503, which may be about one person only [staff-1, limits-11]", () => {
    const nginx = read(".deploy/proxy/nginx.conf")
    // A server that is starting answers 503, so nginx sends the request to another server. nginx also counts the 503 as
    // a failure of the server. With `max_fails=0`, this count has no effect.
    expect(nginx).toMatch(/^ +proxy_next_upstream .*\bhttp_503\b/m)
    const servers = Array.from(nginx.matchAll(/^ +server \S+:\d+.*;$/gm), ([line]) => line)
    expect(servers).toEqual([expect.stringMatching(/ max_fails=0;$/)])
  })

  it("keeps no secret and no query in a log of a proxy: of requests, of errors, and of plain HTTP", () => {
    const nginx = read(".deploy/proxy/nginx.conf")
    expect(nginx).not.toMatch(/\$request_uri"|\$args|\$request"/)
    // A block that names no logs uses the default logs of nginx, whose lines have the whole request.
    const blocks = nginx.split(/^server \{$/m).slice(1)
    const logs = blocks.map((block) => Array.from(block.matchAll(/^ {4}(?:access|error)_log .*$/gm), ([line]) => line))
    const noErrors = "    error_log /var/log/nginx/place-access-error.log emerg;"
    expect(logs).toEqual([
      ["    access_log off;", noErrors],
      ["    access_log /var/log/nginx/place-access.log place_access;", noErrors]
    ])
    // Caddy writes errors to its default log. The options at the beginning of the file set the format of this log.
    const [options = "", site = ""] = read(".deploy/proxy/Caddyfile").split(/^access\.example\.com /m)
    const filter = /^(\t+)log \{\n\t+format filter \{\n[^]*?\n\1\}$/m
    const fields = [options, site].map((part) => filter.exec(part)?.[0].match(/\S+ (?:regexp|delete)/g))
    // Both logs must lack the header Referer, which can have the token of a mailed link, and the header Location, which
    // can have an authorization code.
    const filtered = ["request>uri regexp", "request>headers delete", "resp_headers delete"]
    expect(fields).toEqual([filtered, filtered])
  })
})
