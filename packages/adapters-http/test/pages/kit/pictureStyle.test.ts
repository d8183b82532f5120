import { pictureStyle } from "@place-access/adapters-http/pages/kit/styles/pictureStyle"
import { style } from "@place-access/adapters-http/pages/kit/styles/style"
import { expect, it } from "vitest"

type Colour = readonly [number, number, number]

/**
 * The colour of a CSS variable. In the stylesheet, the first rule is for light screens and the second rule for dark
 * screens.
 */
const colour = (name: string, scheme: "light" | "dark"): Colour => {
  const found = [...style.matchAll(new RegExp(`--${name}: #(\\w\\w)(\\w\\w)(\\w\\w);`, "g"))]
  const [, ...parts] = found[scheme === "light" ? 0 : 1] ?? []
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16))
  return [red, green, blue]
}

/** The relative luminance of WCAG 2.2. */
const luminance = (parts: Colour): number => {
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: Colour, other: Colour): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

it.each(["light", "dark"] as const)(
  "the bars of a chart, which are links, have a contrast of 3:1 (%s) (WCAG 1.4.11)",
  (scheme) => {
    const opacity = Number(/^\.bars \{[^}]*fill-opacity: ([\d.]+);/m.exec(pictureStyle)?.[1])
    const bar = colour("accent", scheme)
    for (const ground of [colour("card", scheme), colour("paper", scheme)]) {
      const mix = (at: 0 | 1 | 2) => bar[at] * opacity + ground[at] * (1 - opacity)
      expect(contrast([mix(0), mix(1), mix(2)], ground)).toBeGreaterThanOrEqual(3)
    }
  }
)
