import * as Snippets from "@place-access/adapters-http/pages/docs/verify/snippets"
import * as Others from "@place-access/adapters-http/pages/docs/verify/otherLanguages"
import vectors from "@place-access/adapters-webhook/vectors.json" with { type: "json" }
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Vector } from "../../../../packages/adapters-webhook/test/support/vectors.js"

const base64 = (value: string | Buffer): string => Buffer.from(value).toString("base64")

/**
 * The inputs of the examples, one on each line: body, header (`-` for none), secret, tolerance and now. An example
 * checks one secret, so a vector with several secrets becomes several inputs.
 */
const QUESTIONS = (vectors.vectors as ReadonlyArray<Vector>).flatMap((vector) =>
  (vector.secrets.length === 0 ? [""] : vector.secrets).map((secret) => ({
    vector,
    line: [
      base64(vector.body_hex === undefined ? (vector.body ?? "") : Buffer.from(vector.body_hex, "hex")),
      vector.header === null ? "-" : base64(vector.header),
      base64(secret),
      vector.tolerance_s,
      vector.now_s
    ].join(",")
  }))
)

interface Language {
  readonly name: string
  /** The programs that must be installed on the machine. */
  readonly needs: ReadonlyArray<string>
  /**
   * The files of a language: the example as the page shows it, and a program that reads the inputs and calls the
   * example for each of them.
   */
  readonly files: Readonly<Record<string, string>>
  readonly compile?: ReadonlyArray<string>
  readonly run: ReadonlyArray<string>
}

const LANGUAGES: ReadonlyArray<Language> = [
  {
    name: "Node.js",
    needs: ["node"],
    files: {
      "webhooks.mjs": Snippets.NODE,
      "main.mjs": `import { readFileSync } from "node:fs"
import { isGenuine } from "./webhooks.mjs"
const text = (one) => Buffer.from(one, "base64")
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  const [body, header, secret, tolerance, now] = line.split(",")
  const sent = header === "-" ? undefined : text(header).toString()
  console.log(isGenuine(text(body), sent, text(secret).toString(), Number(tolerance), Number(now)))
}
`
    },
    run: ["node", "main.mjs"]
  },
  {
    name: "Python",
    needs: ["python3"],
    files: {
      "webhooks.py": Snippets.PYTHON,
      "main.py": `import base64, sys
from webhooks import is_genuine
text = lambda one: base64.b64decode(one)
for line in sys.stdin.read().split():
    body, header, secret, tolerance, now = line.split(",")
    sent = None if header == "-" else text(header).decode()
    print(str(is_genuine(text(body), sent, text(secret).decode(), int(tolerance), int(now))).lower())
`
    },
    run: ["python3", "main.py"]
  },
  {
    name: "Go",
    needs: ["go"],
    files: {
      "go.mod": "module example\n\ngo 1.18\n",
      "webhooks/webhooks.go": Others.GO,
      "main.go": `package main

import (
	"bufio"
	"encoding/base64"
	"example/webhooks"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func text(one string) []byte {
	bytes, _ := base64.StdEncoding.DecodeString(one)
	return bytes
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		tolerance, _ := strconv.ParseInt(fields[3], 10, 64)
		now, _ := strconv.ParseInt(fields[4], 10, 64)
		header := string(text(strings.TrimPrefix(fields[1], "-")))
		fmt.Println(webhooks.IsGenuine(text(fields[0]), header, string(text(fields[2])), tolerance, time.Unix(now, 0)))
	}
}
`
    },
    compile: ["go", "build", "-o", "program", "."],
    run: ["./program"]
  },
  {
    name: "PHP",
    needs: ["php"],
    files: {
      "webhooks.php": Others.PHP,
      "main.php": `<?php
require __DIR__ . '/webhooks.php';
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$body, $header, $secret, $tolerance, $now] = explode(',', $line);
    $sent = $header === '-' ? null : base64_decode($header);
    $answer = isGenuine(base64_decode($body), $sent, base64_decode($secret), (int) $tolerance, (int) $now);
    echo $answer ? 'true' : 'false', PHP_EOL;
}
`
    },
    run: ["php", "main.php"]
  },
  {
    name: "Ruby",
    needs: ["ruby"],
    files: {
      "webhooks.rb": Others.RUBY,
      "main.rb": `require "base64"
require_relative "webhooks"
$stdin.each_line(chomp: true) do |line|
  body, header, secret, tolerance, now = line.split(",")
  sent = header == "-" ? nil : Base64.decode64(header).force_encoding("UTF-8")
  puts genuine?(Base64.decode64(body), sent, Base64.decode64(secret), tolerance_s: tolerance.to_i, now: now.to_i)
end
`
    },
    run: ["ruby", "main.rb"]
  },
  {
    name: "Java",
    needs: ["java", "javac"],
    files: {
      "Webhooks.java": Others.JAVA,
      "Main.java": `import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Scanner;

public final class Main {
  static byte[] text(String one) {
    return Base64.getDecoder().decode(one);
  }

  public static void main(String[] args) throws Exception {
    Scanner lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      String[] fields = lines.nextLine().split(",");
      String header = fields[1].equals("-") ? null : new String(text(fields[1]), StandardCharsets.UTF_8);
      String secret = new String(text(fields[2]), StandardCharsets.UTF_8);
      System.out.println(
          Webhooks.isGenuine(text(fields[0]), header, secret, Long.parseLong(fields[3]), Long.parseLong(fields[4])));
    }
  }
}
`
    },
    compile: ["javac", "-encoding", "UTF-8", "Webhooks.java", "Main.java"],
    run: ["java", "-cp", ".", "Main"]
  },
  {
    name: "C#",
    needs: ["mcs", "mono"],
    files: {
      "Webhooks.cs": Others.CSHARP,
      "Main.cs": `using System;
using System.Text;

public static class Program
{
    static byte[] Bytes(string one) { return Convert.FromBase64String(one); }

    public static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var fields = line.Split(',');
            var header = fields[1] == "-" ? null : Encoding.UTF8.GetString(Bytes(fields[1]));
            var secret = Encoding.UTF8.GetString(Bytes(fields[2]));
            var answer = Webhooks.IsGenuine(
                Bytes(fields[0]), header, secret, long.Parse(fields[3]), long.Parse(fields[4]));
            Console.WriteLine(answer ? "true" : "false");
        }
    }
}
`
    },
    compile: ["mcs", "-r:System.Core.dll", "-out:program.exe", "Webhooks.cs", "Main.cs"],
    run: ["mono", "program.exe"]
  }
]

const isInstalled = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0

describe("every example of the page about webhooks agrees with the test vectors [wire-5-verify]", () => {
  let scratch: string
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "verify-examples-"))
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  it.for(LANGUAGES)("$name", ({ compile, files, name, needs, run }, { skip }) => {
    const missing = needs.filter((program) => !isInstalled(program))
    if (missing.length > 0) skip(`${missing.join(" and ")} not installed`)
    const folder = join(scratch, name.replace(/\W/g, "-"))
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    const start = ([program = "", ...args]: ReadonlyArray<string>, input = "") => {
      const { status, stderr, stdout } = spawnSync(program, args, { cwd: folder, encoding: "utf8", input })
      expect([name, status, stderr]).toEqual([name, 0, ""])
      return stdout
    }
    if (compile !== undefined) start(compile)
    const lines = QUESTIONS.map(({ line }) => `${line}\n`).join("")
    const answers = start(run, lines).trim().split(/\r?\n/)
    expect(answers.length).toBe(QUESTIONS.length)
    const byName = new Map<string, { readonly vector: Vector; readonly said: boolean }>()
    for (const [index, { vector }] of QUESTIONS.entries()) {
      const before = byName.get(vector.name)?.said ?? false
      byName.set(vector.name, { vector, said: before || answers[index] === "true" })
    }
    const wrong = Array.from(byName.values()).filter(({ said, vector }) => vector.choice !== true && said !== vector.ok)
    expect(wrong.map(({ vector }) => vector.name)).toEqual([])
  })
})
