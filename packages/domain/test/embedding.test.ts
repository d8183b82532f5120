import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Testing from "@place-access/domain/testing"
import { expect, it } from "vitest"

const HOME = join(import.meta.dirname, "..")
const text = (path: string): string => readFileSync(join(HOME, path), "utf8")
const GUIDE = text("docs/embedding.md")
const SIMULATION = text("docs/simulation.md")

/** The pieces of an example that a page of the documentation shows, in the order of the page. */
const pieces = (page: string, path: string): ReadonlyArray<string> =>
  [...page.matchAll(/<!-- (\S+) -->\n```ts\n([^]*?)\n```/g)].flatMap(([, of, code]) => (of === path ? [code!] : []))

it.each([
  "rulesEngine.ts",
  "limitStore.ts",
  "limitStore.test.ts",
  "scenario.ts",
  "scenario.test.ts",
  "tokens.ts",
  "vault.ts"
])("the guide has examples/%s as it is, whole and in order", (name) => {
  const path = `examples/${name}`
  expect(`${pieces(GUIDE, path).join("\n\n")}\n`).toBe(text(path))
})

it("the page about the simulation has examples/simulation.ts as it is", () => {
  expect(`${pieces(SIMULATION, "examples/simulation.ts").join("\n\n")}\n`).toBe(text("examples/simulation.ts"))
})

it.each([
  ["the guide", GUIDE],
  ["the page about the simulation", SIMULATION]
])("%s has no other code", (_, page) => {
  expect([...page.matchAll(/^```ts$/gm)]).toHaveLength([...page.matchAll(/^<!-- examples\/\S+ -->\n```ts$/gm)].length)
})

it("the guide names every contract suite there is, and none that there is not", () => {
  const named = new Set([...GUIDE.matchAll(/`(\w+Contract)`/g)].map(([, name]) => name))
  const ofPorts = [...GUIDE.matchAll(/^\| (.*) \| .* \| the suite of the same name \|$/gm)].flatMap(([, ports]) =>
    [...ports!.matchAll(/`(\w+)`/g)].map(([, port]) => `${port![0]!.toLowerCase()}${port!.slice(1)}Contract`)
  )
  const suites = Object.keys(Testing).filter((name) => name.endsWith("Contract"))
  expect([...named, ...ofPorts].toSorted()).toEqual(suites.toSorted())
})

it("the guide says of every port what its implementation must do", () => {
  const ports = readdirSync(join(HOME, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [...text(join("src", name)).matchAll(/export class (\w+) extends Context\.Tag/g)])
    .map(([, port]) => port!)
  const named = [...GUIDE.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
  )
  expect(ports.length).toBeGreaterThan(40)
  expect(ports.filter((port) => !named.includes(port))).toEqual([])
})

it("the package exports each room by its name, and nothing else", () => {
  const { exports } = JSON.parse(text("package.json")) as { readonly exports: Record<string, unknown> }
  const rooms = readdirSync(join(HOME, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const entry = (path: string) => ({
    "@place-access/source": `./${path}.ts`,
    types: `./dist/${path}.d.ts`,
    default: `./dist/${path}.js`
  })
  expect(exports).toEqual({
    ".": entry("src/index"),
    ...Object.fromEntries(rooms.map(({ name }) => [`./${name}`, entry(`src/${name}/index`)])),
    "./testing": entry("testing/index"),
    "./package.json": "./package.json"
  })
})
