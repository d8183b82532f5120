// Checks the files of `.deploy` with the programs that will read them: `npm run deploy:check`. A check whose program is
// not on this machine is skipped with a message. apps/server/test/kit/deploy.test.ts checks the parts that need none of
// these programs.
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = mkdtempSync(join(tmpdir(), "deploy-"))
const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0
let failures = 0

const check = (what, program, args, options = {}) => {
  if (!has(program)) {
    console.log(`skipped  ${what}: there is no ${program} here`)
    return
  }
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", ...options })
  const said = `${stdout}${stderr}`.trim()
  const isRight = status === 0 && !options.refuse?.test(said)
  if (!isRight) failures += 1
  console.log(`${isRight ? "ok      " : "FAILED  "} ${what}${isRight ? "" : `\n${said}`}`)
}

/**
 * systemd-analyze fails when the program, the user or the folder that a unit names does not exist. So these copies of
 * the units name a program, a user and a folder that this machine has.
 */
const units = join(folder, "units")
mkdirSync(units)
for (const name of ["place-access.service", "place-access-worker@.service"]) {
  const text = readFileSync(join(".deploy/systemd", name), "utf8")
  writeFileSync(
    join(units, name),
    text
      .replaceAll("/usr/bin/node", process.execPath)
      .replaceAll("=/opt/place-access/current", "=/tmp")
      .replace(/^(User|Group)=.*$/gm, "$1=root")
      .replace(/^(EnvironmentFile|Documentation)=.*\n/gm, "")
  )
}
check("systemd: the server's unit", "systemd-analyze", ["verify", "--man=no", join(units, "place-access.service")], {
  refuse: /Unknown (?:key|section)|Failed to parse|ignoring/i
})
check(
  "systemd: a worker's unit",
  "systemd-analyze",
  ["verify", "--man=no", join(units, "place-access-worker@.service")],
  { refuse: /Unknown (?:key|section)|Failed to parse|ignoring/i }
)

/** nginx reads the certificate when it checks its configuration, so this script makes a certificate for the check. */
const nginx = join(folder, "nginx")
mkdirSync(nginx)
if (has("openssl")) {
  spawnSync(
    "openssl",
    `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=access.example.com -keyout key.pem -out cert.pem`.split(" "),
    { cwd: nginx }
  )
}
writeFileSync(
  join(nginx, "site.conf"),
  readFileSync(".deploy/proxy/nginx.conf", "utf8")
    .replace(/ssl_certificate .*;/, `ssl_certificate ${join(nginx, "cert.pem")};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${join(nginx, "key.pem")};`)
    .replace(/access_log .* place_access;/, `access_log ${join(nginx, "access.log")} place_access;`)
    .replaceAll(/error_log .* emerg;/g, `error_log ${join(nginx, "error.log")} emerg;`)
)
writeFileSync(
  join(nginx, "nginx.conf"),
  `pid ${join(nginx, "pid")};\nerror_log ${join(nginx, "error.log")};\nevents {}\nhttp { include ${join(nginx, "site.conf")}; }\n`
)
check("nginx", "nginx", ["-t", "-p", nginx, "-c", join(nginx, "nginx.conf")])
check("Caddy", "caddy", ["validate", "--adapter", "caddyfile", "--config", ".deploy/proxy/Caddyfile"], {
  env: { ...process.env, HOME: folder }
})

const monitoring = join(folder, "monitoring")
cpSync(".deploy/monitoring", monitoring, { recursive: true })
check("Prometheus: configuration", "promtool", ["check", "config", join(monitoring, "prometheus.yaml")])
check("Prometheus: alerts", "promtool", ["check", "rules", join(monitoring, "rules.yaml")])
check("Prometheus: tests of the alerts", "promtool", ["test", "rules", join(monitoring, "rules.test.yaml")])

const variables = {
  BASE_URL: "https://access.example.com",
  POSTGRES_PASSWORD: "x",
  SECRET_KEYS: "x",
  SMTP_URL: "smtp://x",
  MAIL_FROM: "x@example.com"
}
const hasCompose = has("docker") && spawnSync("docker", ["compose", "version"]).status === 0
if (hasCompose) {
  check("compose", "docker", ["compose", "-f", ".deploy/compose.yaml", "config", "--quiet"], {
    env: { ...process.env, ...variables }
  })
} else console.log("skipped  compose: there is no docker compose here")
check("Dockerfile", "hadolint", [".deploy/Dockerfile"])

rmSync(folder, { recursive: true, force: true })
process.exit(failures === 0 ? 0 : 1)
