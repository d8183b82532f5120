import { ImportStore } from "@place-access/domain/imports"
import { Effect } from "effect"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FILE, tokenOf } from "../support/importForm.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Returns the names of the person's imports, and removes the imports. */
const stored = async (person: Person): Promise<ReadonlyArray<string>> => {
  const { items } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 99)))
  for (const { id } of items) await person.send("DELETE", `/v1/user/imports/${id}`)
  return items.map(({ fileName }) => fileName).sort()
}

const upload = async (person: Person, names: ReadonlyArray<string>, type: string) => {
  const body = new FormData()
  body.append("form_token", await tokenOf(person))
  for (const name of names) body.append("file", new Blob([FILE], { type }), name)
  const init = { body, headers: { accept: "text/html" }, redirect: "manual" as const }
  return (await person.send("POST", "/portal/imports", undefined, init)).status
}

const NAMES = ["Москва.gpx", "東京.csv", "Wien–Graz.gpx", "🚲 Łódź.gpx", "Zürich.gpx", "plain.gpx", 'so "called".gpx']

describe("the name of an uploaded file", () => {
  it.each(["application/gpx+xml", "application/octet-stream", "text/plain"])(
    "every letter of it arrives, one file a form, as %s",
    async (type) => {
      const person = await world.person()
      for (const name of NAMES) {
        const status = await upload(person, [name], type)
        expect([name, status, await stored(person)]).toEqual([name, 303, [name]])
      }
    }
  )

  it("no file of a form with several is lost by its name", async () => {
    const person = await world.person()
    expect(await upload(person, NAMES, "application/gpx+xml")).toBe(303)
    expect(await stored(person)).toEqual([...NAMES].sort())
  })

  /**
   * Sends a form whose file part has the header `disposition`, `step` bytes at a time. Returns the status of the
   * answer, and the names that were stored.
   */
  const sent = async (person: Person, disposition: string, step = 65_536) => {
    const token = await tokenOf(person)
    const body = Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="form_token"\r\n\r\n${token}\r\n` +
        `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/gpx+xml\r\n\r\n${FILE}\r\n--b--\r\n`
    )
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    const answered = new Promise<string>((resolve, reject) => {
      socket.on("error", reject).once("data", (bytes) => resolve(bytes.toString("latin1")))
    })
    const head = [
      "POST /portal/imports HTTP/1.1",
      `host: ${hostname}:${port}`,
      `cookie: ${person.cookie}`,
      `origin: ${world.url}`,
      "content-type: multipart/form-data; boundary=b",
      `content-length: ${body.length}`
    ]
    socket.setNoDelay(true).write(`${head.join("\r\n")}\r\n\r\n`)
    for (let at = 0; at < body.length; at += step) {
      await new Promise((next) => socket.write(body.subarray(at, at + step), next))
    }
    const answer = await answered
    socket.destroy()
    return [Number(answer.split(" ")[1]), await stored(person)] as const
  }

  it("arrives whole when its bytes arrive one by one", async () => {
    const person = await world.person()
    expect(await sent(person, 'form-data; name="file"; filename="Москва 🚲.gpx"', 1)).toEqual([303, ["Москва 🚲.gpx"]])
  })

  it.each([
    ["a quote, as browsers write it", 'name="file"; filename="a%22b.gpx"', 'a"b.gpx'],
    ["a quote, as other clients write it", String.raw`name="file"; filename="Ł\"b\".gpx"`, 'Ł"b".gpx'],
    ["a percent sign", 'name="file"; filename="50% %41 Ł.gpx"', "50% %41 Ł.gpx"],
    ["a line break", 'name="file"; filename="Ł%0D%0Ab.gpx"', "Łb.gpx"],
    ["a path", String.raw`name="file"; filename="C:\Łódź/../x\東京.gpx"`, "東京.gpx"],
    ["a backslash at its end", String.raw`name="file"; filename="東京\"`, "Imported file"],
    ["without quotes", "name=file; filename=a.gpx", "a.gpx"],
    ["the name first, and in capitals", 'FILENAME="東京.gpx" ;NAME="file"', "東京.gpx"],
    ["only as filename*", `name="file"; filename*=UTF-8''%D0%9C.gpx`, "М.gpx"],
    ["a name within the name of the field", 'name="Ł; filename=x"; filename="東京.gpx"', "東京.gpx"],
    ["a long name", `name="file"; filename="${"東".repeat(4_000)}"`, "東".repeat(60)],
    ["an empty name", 'name="file"; filename=""', "Imported file"]
  ])("%s", async (_, parameters, name) => {
    const person = await world.person()
    expect(await sent(person, `form-data; ${parameters}`)).toEqual([303, [name]])
  })

  it("a file without a name has one in the reader's language, on every page that names it", async () => {
    const person = await world.person()
    const body = new FormData()
    body.append("form_token", await tokenOf(person))
    body.append("file", new Blob(["Zeit;Breite;Ost\n2025-01-01T00:00:00Z;52;4\n"]), "")
    body.append("file", new Blob(["%PDF-1.7"]), "/")
    const headers = { accept: "text/html", "accept-language": "de" }
    const refused = (await person.send("POST", "/portal/imports", undefined, { body, headers })).text
    expect(refused).toContain("Importierte Datei: ")
    const list = (await person.get("/portal/imports", { headers })).text
    const columns = /\/portal\/imports\/\w+\/columns/.exec(list)?.[0] ?? ""
    const texts = [refused, list, (await person.get(columns, { headers })).text]
    expect(texts.map((text) => [text.includes("Importierte Datei"), text.includes("Imported file")])).toEqual(
      texts.map(() => [true, false])
    )
    expect(list).toContain("Importierte Datei entfernen")
    await stored(person)
  })

  it("a part without a file name stays a field", async () => {
    const person = await world.person()
    for (const disposition of [
      'form-data; name="Łfilename"',
      'form-data; name="a; filename=b"',
      'form-data; name="a"'
    ]) {
      expect([disposition, ...(await sent(person, disposition))]).toEqual([disposition, 400, []])
    }
  })

  // If the service parsed the header with a regular expression that needs exponential time, this test would never end.
  it("a header that is long and wrong is answered", async () => {
    const person = await world.person()
    for (const part of ['; filename="', String.raw`\" `, "; a=b", '"', " "]) {
      const header = `form-data; name="Ł${part.repeat(Math.floor(15_000 / part.length))}`
      expect((await sent(person, header))[0]).toBeGreaterThanOrEqual(300)
    }
  })
})
