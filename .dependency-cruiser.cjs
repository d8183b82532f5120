/**
 * The rules of docs/architecture.md about which module may import which. `npm run fences` checks them.
 *
 * In a room of the domain, the file name shows the kind of module:
 *   PascalCase.ts               types and decisions
 *   <Noun>Store.ts, <Noun>Port.ts and the names in PORTS
 *                               ports: interfaces that adapters implement
 *   camelCase.ts                programs, composed of ports and decisions
 *   index.ts                    what the room exports to the other packages
 */
const PORTS = [
  "Entropy",
  "Vault",
  "PasswordHasher",
  "WebhookSender",
  "WorkSignal",
  "MailOutbox",
  "Mailer",
  "ImportReader"
]

const domain = "^packages/domain/src/"
const testing = "^packages/domain/testing/"
const http = "^packages/adapters-http/src/"
const driver = "^packages/adapters-pg/src/driver/"
const port = ["Store", "Port", ...PORTS].map((name) => `${name}\\.ts$`)
const pascalCase = `${domain}[^/]+/[A-Z][A-Za-z0-9]*\\.ts$`
/** The files of programs, and the index files through which a module could import programs. */
const program = [`${domain}[^/]+/[a-z][A-Za-z0-9]*\\.ts$`, `${domain}index\\.ts$`]

/** The room `shared` contains no programs, so decisions and ports may import its index. */
const shared = `${domain}shared/index\\.ts$`

module.exports = {
  forbidden: [
    {
      name: "domain-imports-only-effect",
      comment: "The domain knows no HTTP, SQL, socket or runtime. Ask for what you need through a port.",
      severity: "error",
      from: { path: domain },
      to: { pathNot: [domain, "^node_modules/effect/"] }
    },
    {
      name: "testing-imports-only-the-domain",
      comment: "Contracts, memory ports and the simulation run wherever the domain runs.",
      severity: "error",
      from: { path: testing },
      to: { pathNot: [domain, testing, "^node_modules/effect/"] }
    },
    {
      name: "decisions-import-no-program",
      comment: "A decision is a plain function of its arguments: programs call it, never the reverse.",
      severity: "error",
      from: { path: pascalCase, pathNot: port },
      to: { path: program, pathNot: shared }
    },
    {
      name: "ports-import-no-program",
      comment: "A port states what the domain needs. How it is used is the programs' business.",
      severity: "error",
      from: { path: port.map((name) => `${domain}[^/]+/[A-Za-z0-9]*${name}`) },
      to: { path: program, pathNot: shared }
    },
    {
      name: "adapters-do-not-meet",
      comment: "Adapters know the domain; apps introduce them to each other.",
      severity: "error",
      from: { path: "^packages/adapters-([^/]+)/" },
      to: { path: "^packages/adapters-", pathNot: "^packages/adapters-$1/" }
    },
    {
      name: "the-engine-knows-nothing-above-it",
      comment:
        "engine/ runs any contract in the platform's place. What our service asks of a request is told to it (Around, OnRoute).",
      severity: "error",
      from: { path: `${http}engine/` },
      to: { path: ["^packages/", "^apps/"], pathNot: [`${http}engine/`, `${http}wire/Json\\.ts$`] }
    },
    {
      name: "the-edge-knows-no-noun",
      comment:
        "edge/ is the ring of every request. An endpoint declares what is special about it: bounds of its body, its deprecation.",
      severity: "error",
      from: { path: `${http}edge/` },
      to: { path: http, pathNot: [`${http}(edge|engine|wire)/`, `${http}HttpOptions\\.ts$`] }
    },
    {
      name: "guards-know-no-noun",
      comment:
        "security/ says who is calling. A noun that authenticates in a way of its own has its guard in its own folder.",
      severity: "error",
      from: { path: `${http}security/` },
      to: { path: http, pathNot: [`${http}(security|edge|engine|limits|wire)/`, `${http}HttpOptions\\.ts$`] }
    },
    {
      name: "wire-knows-nothing-above-it",
      comment: "wire/ has the shapes that all endpoints share.",
      severity: "error",
      from: { path: `${http}wire/` },
      to: { path: http, pathNot: `${http}wire/` }
    },
    {
      name: "the-client-stands-alone",
      comment: "client/ runs in apps: it imports itself and, in the store of files, Node. The service does not use it.",
      severity: "error",
      from: { path: `${http}client/` },
      to: { pathNot: [`${http}client/`, "^(node:)?(crypto|fs/promises|timers/promises)$"] }
    },
    {
      name: "the-service-does-not-use-its-client",
      comment: "client/ is packed for apps. What the service needs of HTTP is in edge/ and engine/.",
      severity: "error",
      from: { path: "/src/", pathNot: `${http}client/` },
      to: { path: `${http}client/` }
    },
    {
      name: "the-driver-knows-nothing-above-it",
      comment: "driver/ talks to any PostgreSQL: it knows no table of ours.",
      severity: "error",
      from: { path: `${driver}` },
      to: { path: ["^packages/", "^apps/"], pathNot: [driver, "^packages/domain/src/shared/"] }
    },
    {
      name: "handlers-say-what-they-disclose",
      comment:
        "Groups of the contract are made by src/Group.ts, whose type asks handlers behind a bearer token for it.",
      severity: "error",
      from: { path: "^packages/adapters-http/src/", pathNot: "^packages/adapters-http/src/(engine/|Group\\.ts$)" },
      to: { path: "^packages/adapters-http/src/engine/Group\\.ts$" }
    },
    {
      name: "domain-testing-is-for-tests",
      comment:
        "In-memory ports, contracts and the simulation do not ship. The demo, `replay`, `simulate` and a server on virtual time run them on purpose.",
      severity: "error",
      from: { path: "/src/", pathNot: "^apps/server/src/(demo|replay|simulate|virtual)(/|\\.ts$)" },
      to: { path: testing }
    },
    {
      name: "tests-stay-out-of-src",
      comment: "What ships does not import a test or its support.",
      severity: "error",
      from: { path: "/src/" },
      to: { path: "^(packages|apps)/[^/]+/test/" }
    },
    {
      name: "apps-are-leaves",
      comment:
        "An app composes; nothing builds on it. Only the server takes what the worker is made of, to be both at once.",
      severity: "error",
      from: { path: "^packages/|^apps/([^/]+)/" },
      to: { path: "^apps/", pathNot: ["^apps/$1/", "^apps/worker/src/(?!main\\.ts)"] }
    },
    {
      name: "no-cycles",
      comment: "Two modules that need each other are one module, or need a third.",
      severity: "error",
      from: {},
      to: { circular: true }
    },
    {
      name: "everything-resolves",
      comment: "An import that cannot be followed would slip through every rule above.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true }
    },
    {
      name: "dependencies-are-declared",
      comment: "Hoisting makes undeclared packages work until somebody else's upgrade. Name them in package.json.",
      severity: "error",
      from: { path: "/src/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown", "npm-dev"] }
    }
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // The peers of the benchmark have packages of their own, which are installed only for a run with `--peers`.
    exclude: { path: "^(packages|apps)/[^/]+/(dist|(commands-)?bundle(\\.new)?)/|^apps/server/bench/peers/" },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@place-access/source", "types", "import", "node", "default"]
    }
  }
}
