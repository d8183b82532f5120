import { AppLogo } from "@place-access/domain/apps"
import { samplePng } from "@place-access/domain/testing"
import { Either, Encoding, FastCheck as fc, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"

const check = Schema.decodeUnknownEither(AppLogo.LogoPng)
const fault = (png: string): string | undefined =>
  Either.match(check(png), {
    onLeft: (error) => ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message,
    onRight: () => undefined
  })

const bytes = (png: string): Uint8Array => Either.getOrThrow(Encoding.decodeBase64(png))
const NOT_PNG = "must be a PNG file in base64"
const SIZE = "must be square, from 64 to 512 pixels wide"

describe("a logo [apps-9]", () => {
  it.each([
    ["the smallest", samplePng("a"), undefined],
    ["the largest", samplePng("a", { width: 512 }), undefined],
    ["smaller", samplePng("a", { width: 63 }), SIZE],
    ["larger", samplePng("a", { width: 513 }), SIZE],
    ["not square", samplePng("a", { width: 64, height: 65 }), SIZE],
    ["animated", samplePng("a", { more: ["acTL"] }), "must not be animated"],
    ["a frame of an animation", samplePng("a", { more: ["fdAT"] }), "must not be animated"],
    ["the largest file", samplePng("x".repeat(65_536 - 8 - 25 - 12 - 12)), undefined],
    ["a byte more", samplePng("x".repeat(65_537 - 8 - 25 - 12 - 12)), "must be at most 64 KiB"],
    ["an SVG", Encoding.encodeBase64("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), NOT_PNG],
    ["a page behind the picture", Encoding.encodeBase64(new Uint8Array([...bytes(samplePng("a")), 60])), NOT_PNG],
    ["no end", Encoding.encodeBase64(bytes(samplePng("a")).slice(0, -12)), NOT_PNG],
    ["nothing", "", NOT_PNG],
    ["no base64", "…", NOT_PNG],
    ["base64 that another text decodes to too", `${samplePng("ab").slice(0, -1)}\n`, NOT_PNG]
  ])("%s", (_, png, expected) => expect(fault(png)).toBe(expected))

  it("a file that was cut anywhere is refused; one with a changed byte is refused, or kept as it is", () => {
    const whole = bytes(samplePng("a"))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        expect(Either.isLeft(check(Encoding.encodeBase64(whole.slice(0, at))))).toBe(true)
        const other = Encoding.encodeBase64(whole.with(at, byte))
        const kept = Either.getOrElse(check(other), () => other)
        expect(kept).toBe(other)
      })
    )
  })
})
