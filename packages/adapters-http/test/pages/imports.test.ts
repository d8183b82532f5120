import { Import, ImportReader, ImportStore, Months } from "@place-access/domain/imports"
import { everything } from "@place-access/domain/leases"
import { importNext, MemoryDatabase, MemoryImportReader } from "@place-access/domain/testing"
import { Effect } from "effect"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FILE, tokenOf } from "../support/importForm.js"
import { type Person, startWorld, type World } from "../support/World.js"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** Posts the form as a browser does, with `parts` in their order. */
const post = (person: Person, parts: ReadonlyArray<readonly [name: string, value: string | Blob]>, headers = {}) => {
  const form = new FormData()
  for (const [name, value] of parts) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, value, "a.gpx")
  }
  const init = { body: form, headers: { accept: "text/html", ...headers }, redirect: "manual" as const }
  return person.send("POST", "/portal/imports", undefined, init)
}

const GPX = { "content-type": "application/gpx+xml" }

/** Reads every file that waits, also files of earlier tests. */
const readAll = async () => {
  while (await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer)));
}

const kept = () =>
  world.run(Effect.map(MemoryDatabase, ({ importPieces, imports }) => [imports.size, importPieces.size]))

describe("the form for a file", () => {
  it("takes the file and shows the list; while it waits the page asks again by itself, without a script", async () => {
    const person = await world.person()
    const answer = await post(person, [
      ["form_token", await tokenOf(person)],
      ["file", new Blob([FILE])]
    ])
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/portal/imports?done=import-started"])
    const list = await person.get("/portal/imports?done=import-started")
    expect(list.text).toContain("We read it in the background")
    expect(list.headers.get("refresh")).toBe("5;url=/portal/imports")
    expect(list.text).not.toContain("<script")
    expect(list.text).toContain("a.gpx")
    // A reload closes a part of the page that a person has opened to read it. So the page has a link that stops the
    // reloads (WCAG 2.2.2).
    expect(list.text).toContain('<a href="/portal/imports?reload=no">Do not reload</a>')
    const still = await person.get("/portal/imports?reload=no")
    expect(still.headers.get("refresh")).toBeNull()
    expect(still.text).toContain('<a href="/portal/imports">Reload by itself</a>')
    await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
    expect((await person.get("/portal/imports")).headers.get("refresh")).toBeNull()
  })

  it("a file of several megabytes arrives whole", async () => {
    const person = await world.person()
    const body = FILE.padEnd(3_000_000, "\r\n--")
    await post(person, [
      ["form_token", await tokenOf(person)],
      ["file", new Blob([body])]
    ])
    const {
      items: [one]
    } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 1)))
    expect(one?.bytesTotal).toBe(3_000_000)
    const pieces = await world.run(
      Effect.flatMap(ImportStore, (store) =>
        Effect.forEach(Array.from({ length: Math.ceil(3_000_000 / Import.PIECE_BYTES) }), (_, position) =>
          Effect.flatten(store.piece(one!, position))
        )
      )
    )
    expect(Buffer.concat(pieces).toString()).toBe(body)
    await person.send("DELETE", `/v1/user/imports/${one!.id}`)
  })

  it.each([
    ["without the token", async () => []],
    ["with a wrong one", async () => [["form_token", "k1.x"]] as const],
    ["with somebody else's", async () => [["form_token", await tokenOf(await world.person())]] as const]
  ])("%s: 403, and nothing of the file stays", async (_, fields) => {
    const person = await world.person()
    const before = await kept()
    expect((await post(person, [...(await fields()), ["file", new Blob([FILE])]])).status).toBe(403)
    expect(await kept()).toEqual(before)
  })

  it("a token that stands behind the file does not count: it would be known too late", async () => {
    const person = await world.person()
    const parts = [
      ["file", new Blob([FILE])],
      ["form_token", await tokenOf(person)]
    ] as const
    expect((await post(person, parts)).status).toBe(403)
  })

  it("a form from a foreign page is refused with 403", async () => {
    const person = await world.person()
    const parts = [
      ["form_token", await tokenOf(person)],
      ["file", new Blob([FILE])]
    ] as const
    expect((await post(person, parts, { origin: "https://evil.example" })).status).toBe(403)
  })

  it.each([
    ["no file", new Blob([]), 400, "The file is of a kind that is not read here: choose GPX"],
    ["the wrong file", new Blob(["x".repeat(500_000)]), 400, "The file is a text without columns"],
    ["a photo", new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)]), 400, "The file is a photo (JPEG): choose GPX"]
  ])("%s: said above the form, and nothing of it stays", async (_, content, status, message) => {
    const person = await world.person()
    const before = await kept()
    const answer = await post(person, [
      ["form_token", await tokenOf(person)],
      ["file", content]
    ])
    expect([answer.status, answer.text.includes(message)]).toEqual([status, true])
    expect(answer.text).toContain('enctype="multipart/form-data"')
    expect(await kept()).toEqual(before)
  })

  it("a body that is no form, or ends in the middle of the file: 400, and nothing of it stays", async () => {
    const person = await world.person()
    const before = await kept()
    const type = "multipart/form-data; boundary=b"
    const begun = `--b\r\ncontent-disposition: form-data; name="form_token"\r\n\r\n${await tokenOf(person)}\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${FILE}`
    const bodies = [
      "",
      "--b--\r\n",
      "nothing",
      begun,
      `--b\r\ncontent-disposition: form-data; name="f"; filename*=utf-8''%zz\r\n\r\n`
    ]
    for (const body of bodies) {
      const init = { body, headers: { "content-type": type, accept: "text/html" } }
      const answer = await person.send("POST", "/portal/imports", undefined, init)
      expect([body, answer.status]).toEqual([body, 400])
    }
    const nameless = { body: "x", headers: { "content-type": "multipart/form-data", accept: "text/html" } }
    expect((await person.send("POST", "/portal/imports", undefined, nameless)).status).toBe(400)
    expect(await kept()).toEqual(before)
  })

  it("several files at once: those that are read are stored, and of the others the page says what they are", async () => {
    const person = await world.person()
    const token = await tokenOf(person)
    const form = new FormData()
    form.append("form_token", token)
    form.append("file", new Blob([FILE]), "one.gpx")
    form.append("file", new Blob(["%PDF-1.7 secret".padEnd(400_000, "x")]), "bill.pdf")
    form.append("file", new Blob([FILE.padEnd(400_000, " ")]), "two.gpx")
    const init = { body: form, headers: { accept: "text/html" }, redirect: "manual" as const }
    const answer = await person.send("POST", "/portal/imports", undefined, init)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain("2 files were uploaded and will be read. The others were not:")
    expect(answer.text).toContain("bill.pdf: is a PDF document")
    expect(answer.text).not.toContain("secret")
    const { items: all } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 9)))
    expect(all.map(({ bytesTotal, fileName }) => [fileName, bytesTotal]).sort()).toEqual([
      ["one.gpx", FILE.length],
      ["two.gpx", 400_000]
    ])
  })

  it("more files than one form may have: the first ones are read, and the page names the last of them", async () => {
    const person = await world.person()
    const form = new FormData()
    form.append("form_token", await tokenOf(person))
    // The files are so large that the form arrives in many pieces. So the parser has already returned the first files
    // when it stops at the limit of 63 files.
    for (let index = 1; index <= 80; index++) form.append("file", new Blob([FILE.padEnd(5_000)]), `${index}.gpx`)
    const answer = await person.send("POST", "/portal/imports", undefined, {
      body: form,
      headers: { accept: "text/html" }
    })
    expect(answer.status).toBe(409)
    expect(answer.text).toContain("50 files were uploaded and will be read. The others were not:")
    expect(answer.text).toContain("51.gpx: At most 50 imports")
    expect(answer.text).not.toContain("64.gpx")
    expect(answer.text).toContain("An upload takes at most 63 files, so the files after 63.gpx were left out.")
    const { items: all } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 99)))
    expect(all).toHaveLength(50)
    for (const { id } of all) await person.send("DELETE", `/v1/user/imports/${id}`)
  })

  it("more small files than one form may have, in one piece: the first ones are read all the same", async () => {
    const person = await world.person()
    const file = (index: number) => ["file", new Blob([index <= 3 ? FILE : "%PDF-1.7"])] as const
    const files = Array.from({ length: 70 }, (_, index) => file(index + 1))
    const answer = await post(person, [["form_token", await tokenOf(person)], ...files])
    expect([answer.status, answer.text.includes("3 files were uploaded and will be read.")]).toEqual([400, true])
    expect(answer.text).toContain("An upload takes at most 63 files")
  })

  it("a form that is too large as a whole: 413, with the limit of a file and the limit of all files", async () => {
    const person = await world.person()
    const { hostname, port } = new URL(world.url)
    const headers = {
      accept: "text/html",
      cookie: person.cookie,
      origin: world.url,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": 513 * 1_048_576
    }
    const sending = request({ hostname, port, path: "/portal/imports", method: "POST", headers })
    const answer = await new Promise<readonly [number | undefined, string]>((resolve, reject) => {
      sending.on("error", reject).on("response", async (response) => {
        const chunks = await response.toArray()
        resolve([response.statusCode, Buffer.concat(chunks).toString()])
      })
      sending.write("--b")
    })
    sending.destroy()
    expect(answer[0]).toBe(413)
    expect(answer[1]).toContain(
      "The file must be at most 256 MiB, and all files of one upload together at most 512 MiB"
    )
  })

  it("several files, all of them stored: the page speaks of files, and of tables that wait for an answer", async () => {
    const person = await world.person()
    const table = "Zeit;Breite;Ost\n2025-01-01T00:00:00Z;52;4\n"
    const send = async (files: ReadonlyArray<string>) => {
      const form = new FormData()
      form.append("form_token", await tokenOf(person))
      for (const [index, file] of files.entries()) form.append("file", new Blob([file]), `${index}.txt`)
      return person.send("POST", "/portal/imports", undefined, { body: form, headers: { accept: "text/html" } })
    }
    const sayings = async (files: ReadonlyArray<string>) => {
      const answer = await send(files)
      const { text } = answer.status === 303 ? await person.get(answer.headers.get("location") ?? "") : answer
      return [text.includes("The files are uploaded. We read them"), text.includes("table waits for your answer")]
    }
    expect(await sayings([FILE, FILE])).toEqual([true, false])
    expect(await sayings([FILE, table])).toEqual([true, true])
    expect(await sayings([table, table])).toEqual([true, true])
    expect(await sayings([FILE, "%PDF-1.7"])).toEqual([false, false])
    expect(await sayings([table, "%PDF-1.7"])).toEqual([false, true])
    const { items: all } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 20)))
    for (const { id } of all) await person.send("DELETE", `/v1/user/imports/${id}`)
  })

  it("a table: its owner is asked which columns are read, and no worker reads it before [imports-10]", async () => {
    const person = await world.person()
    const rows = "Zeit;Breite;Ost\n2025-01-01T00:00:00Z;52;4\n"
    const requested = await post(person, [
      ["form_token", await tokenOf(person)],
      ["file", new Blob([rows])]
    ])
    const place = requested.headers.get("location") ?? ""
    expect([requested.status, place]).toEqual([303, expect.stringMatching(/^\/portal\/imports\/imp_\w+\/columns$/)])
    const page = await person.get(place)
    expect(page.text).toMatch(/<option value="Breite"\s+selected/)
    const choose = async (columns: Record<string, string>) =>
      person.send("POST", place, undefined, {
        body: new URLSearchParams({ form_token: await tokenOf(person), ...columns }),
        headers: { accept: "text/html" },
        redirect: "manual"
      })
    const lacking = await choose({ time_column: "Zeit", lat_column: "Breite" })
    expect([lacking.status, lacking.text.includes("choose a column")]).toEqual([400, true])
    const other = await choose({ time_column: "Zeit", lat_column: "Breite", lon_column: "West" })
    expect([other.status, other.text.includes("must be a name in the first line of the table")]).toEqual([400, true])
    const twice = await choose({ time_column: "Zeit", lat_column: "Breite", lon_column: "Breite" })
    expect([twice.status, twice.text.includes("Longitude must be a column that has no other meaning")]).toEqual([
      400,
      true
    ])
    const {
      items: [one]
    } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 1)))
    expect(one?.state).toBe("asking")
    const chosen = await choose({ time_column: "Zeit", lat_column: "Breite", lon_column: "Ost" })
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, "/portal/imports?done=import-started"])
    expect((await person.get(place)).status).toBe(404)
    const stranger = await world.person()
    expect((await stranger.get(place)).status).toBe(404)
    const {
      items: [waiting]
    } = await world.run(Effect.flatMap(ImportStore, (store) => store.list(person.account.id, 1)))
    expect([waiting?.state, waiting?.columns]).toEqual(["waiting", { time: "Zeit", lat: "Breite", lon: "Ost" }])
    await person.send("DELETE", `/v1/user/imports/${waiting?.id}`)
  })

  it("an import without a usable entry says so, and what its file lacks [imports-12]", async () => {
    const person = await world.person()
    const bodies = { "none.gpx": `${MemoryImportReader.FIRST_LINE}\nnonsense\n`, "some.gpx": `${FILE}nonsense\n` }
    for (const [name, body] of Object.entries(bodies)) {
      await person.send("POST", `/v1/user/imports?file_name=${name}`, undefined, { body, headers: GPX })
      await readAll()
      world.clock.advance(1)
    }
    const saying = async (language: string, sentence: string) => {
      const { text } = await person.get("/portal/imports", { headers: { "accept-language": language } })
      const cards = text.split('<li class="card">').slice(1)
      return cards.map((card) => [/\w+\.gpx/.exec(card)?.[0], card.includes(sentence)])
    }
    const only = [
      ["some.gpx", false],
      ["none.gpx", true]
    ]
    expect(await saying("en", "No entry of this file could be used")).toEqual(only)
    expect(await saying("de", "Kein Eintrag dieser Datei war verwendbar")).toEqual(only)
  })

  it("an archive of the service that has no locations shows, when it was read, that it had no entries [imports-12]", async () => {
    const person = await world.person()
    const archive = Effect.map(ImportReader, ({ open }) =>
      ImportReader.of({ open: () => ({ ...open(), format: () => "own_archive" }) })
    ).pipe(Effect.provide(MemoryImportReader.layer))
    const body = `${MemoryImportReader.FIRST_LINE}\n`
    await person.send("POST", "/v1/user/imports?file_name=a.gpx", undefined, { body, headers: GPX })
    const page = async () => (await person.get("/portal/imports")).text
    const counted = /<dt>Read<\/dt>\s*<dd>0 entries<\/dd>\s*<dt>New in your history<\/dt>\s*<dd>0 entries<\/dd>/
    expect(await page()).not.toMatch(counted)
    await world.run(Effect.provideServiceEffect(importNext(everything.people), ImportReader, archive))
    expect(await page()).toMatch(counted)
  })

  it("an import whose entries were all known can be undone, because it inherits the entries of an undone import [imports-13]", async () => {
    const person = await world.person()
    const add = async (name: string, body: string) => {
      await person.send("POST", `/v1/user/imports?file_name=${name}`, undefined, { body, headers: GPX })
      await readAll()
      world.clock.advance(1)
    }
    await add("first.gpx", FILE)
    await add("again.gpx", FILE)
    await add("nothing.gpx", `${MemoryImportReader.FIRST_LINE}\nnonsense\n`)
    const cards = (await person.get("/portal/imports")).text.split('<li class="card">').slice(1)
    expect(cards.map((card) => [/\w+\.gpx/.exec(card)?.[0], card.includes("/undo")])).toEqual([
      ["nothing.gpx", false],
      ["again.gpx", true],
      ["first.gpx", true]
    ])
  })

  it("the reason for entries that are too old also names a time that the person deleted [imports-3]", async () => {
    const person = await world.person()
    const stretch = { from: "2026-02-05T00:00:00Z", until: "2026-02-06T00:00:00Z" }
    expect((await person.send("POST", "/v1/user/history/erasures", stretch)).status).toBe(200)
    await person.send("POST", "/v1/user/imports?file_name=a.gpx", undefined, { body: FILE, headers: GPX })
    await readAll()
    const page = async (language: string) =>
      (await person.get("/portal/imports", { headers: { "accept-language": language } })).text
    expect(await page("en")).toContain("older than the history that you keep, or from a time that you deleted from it")
    expect(await page("de")).toContain(
      "älter als der Standortverlauf, den Sie behalten, oder aus einer Zeit, die Sie daraus gelöscht haben"
    )
  })

  it("entries of months that have no row are not shown as without a time, or as known [imports-12]", async () => {
    const months = Array.from({ length: Months.MAX_MONTHS }, (_, month) =>
      MemoryImportReader.line(Date.UTC(1000, month, 15), 52, 4)
    )
    const firstRowOf = async (language: string, ...before: ReadonlyArray<string>) => {
      const person = await world.person()
      const lines = [MemoryImportReader.FIRST_LINE, "nonsense", ...before]
      const body = FILE.replace(MemoryImportReader.FIRST_LINE, lines.join("\n"))
      await person.send("POST", "/v1/user/imports?file_name=a.gpx", undefined, { body, headers: GPX })
      await readAll()
      const page = await person.get("/portal/imports", { headers: { "accept-language": language } })
      return [...page.text.matchAll(/<td data-label="[^"]*">(.*?)<\/td>/g)].slice(0, 5).map(([, cell]) => cell)
    }
    expect(await firstRowOf("en")).toEqual(["Without a time", "1", "0", "0", "1 not usable"])
    // Three entries are in the row for entries without a row of their own: the unusable line “nonsense”, the last of
    // `months`, which is not usable either, and the entry of `FILE`.
    const further = ["3", "–", "–", "2 not usable"]
    expect(await firstRowOf("en", ...months)).toEqual([
      "Without a time, or of a month that has no row here",
      ...further
    ])
    expect((await firstRowOf("de", ...months))[0]).toBe("Ohne Zeit, oder aus einem Monat, der hier keine Zeile hat")
  })

  it("the list shows 50 imports, and leads to the older ones and back", async () => {
    const person = await world.person()
    const add = async (name: string) => {
      await person.send("POST", `/v1/user/imports?file_name=${name}`, undefined, { body: FILE, headers: GPX })
      await world.run(Effect.provide(importNext(everything.people), MemoryImportReader.layer))
      world.clock.advance(1)
    }
    await add("first.gpx")
    await add("second.gpx")
    for (let index = 0; index < 49; index++) await add("later.gpx")
    const newest = (await person.get("/portal/imports")).text
    expect([newest.includes("second.gpx"), newest.includes("first.gpx"), newest.includes("Newest")]).toEqual([
      true,
      false,
      false
    ])
    const older = /href="(\/portal\/imports\?cursor=[^"]+)">Older</.exec(newest)?.[1] ?? "no link"
    const last = (await person.get(older)).text
    expect([last.includes("first.gpx"), last.includes("second.gpx"), last.includes("Older")]).toEqual([
      true,
      false,
      false
    ])
    expect(last).toContain('<a href="/portal/imports">Newest</a>')
    const stranger = await world.person()
    expect((await stranger.get(older)).text).toContain("You have not imported anything yet")
  })

  it("fifty wait already: said above the form", async () => {
    const person = await world.person()
    const parts = async () =>
      [
        ["form_token", await tokenOf(person)],
        ["file", new Blob([FILE])]
      ] as const
    for (let index = 0; index < 50; index++) expect((await post(person, await parts())).status).toBe(303)
    const answer = await post(person, await parts())
    expect([answer.status, answer.text.includes("At most 50 imports with 512 MiB of files can wait")]).toEqual([
      409,
      true
    ])
  })
})
