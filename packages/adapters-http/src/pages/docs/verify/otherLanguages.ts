// Complete examples that check a webhook's signature. apps/server/test/kit/verifyExamples.test.ts runs
// each whose language is installed.

export const GO = String.raw`package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// IsGenuine takes the body as it arrived, before any code parses it.
func IsGenuine(body []byte, header, secret string, toleranceS int64, now time.Time) bool {
	if secret == "" {
		return false // with a secret that is missing, anybody could sign
	}
	var t string
	var signatures []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" && t == "" {
			t = value
		} else if name == "v1" && len(signatures) < 8 {
			signatures = append(signatures, value)
		}
	}
	signedAt, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	isSigned := false
	for _, signature := range signatures {
		given, err := hex.DecodeString(signature)
		isSigned = (err == nil && hmac.Equal(given, expected)) || isSigned
	}
	age := now.Unix() - signedAt
	return isSigned && -toleranceS <= age && age <= toleranceS
}
`

export const PHP = String.raw`<?php
// $body: as it arrived, file_get_contents('php://input')
function isGenuine(string $body, ?string $header, string $secret, int $toleranceS = 60, ?int $now = null): bool
{
    if ($secret === '') {
        return false; // with a secret that is missing, anybody could sign
    }
    $t = null;
    $signatures = [];
    foreach (explode(',', $header ?? '') as $part) {
        [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
        if ($name === 't') {
            $t ??= $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    if (preg_match('/^[0-9]{1,12}$/D', $t ?? '') !== 1) {
        return false;
    }
    $expected = hash_hmac('sha256', $t . '.' . $body, $secret);
    $isSigned = false;
    foreach (array_slice($signatures, 0, 8) as $signature) {
        $isSigned = hash_equals($expected, $signature) || $isSigned;
    }
    return $isSigned && abs(($now ?? time()) - (int) $t) <= $toleranceS;
}
`

export const RUBY = String.raw`require "openssl"

# body: as it arrived, request.body.read
def genuine?(body, header, secret, tolerance_s: 60, now: Time.now.to_i)
  return false if secret.to_s.empty? # with a secret that is missing, anybody could sign
  parts = (header || "").split(",").map { |part| part.split("=", 2) }
  t = parts.find { |name, _| name == "t" }&.last
  return false unless t&.match?(/\A[0-9]{1,12}\z/)
  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{t}.".b + body.b)
  signatures = parts.select { |name, _| name == "v1" }.map { |_, value| value.to_s }.first(8)
  signed = signatures.map { |signature| OpenSSL.secure_compare(signature, expected) }.any?
  signed && (now - t.to_i).abs <= tolerance_s
end
`

export const JAVA = String.raw`import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Webhooks {
  /** body: the bytes as they arrived, before any code parses them. */
  public static boolean isGenuine(byte[] body, String header, String secret, long toleranceS, long nowS)
      throws GeneralSecurityException {
    if (secret == null || secret.isEmpty()) return false; // with a secret that is missing, anybody could sign
    String t = "";
    List<String> signatures = new ArrayList<>();
    for (String part : (header == null ? "" : header).split(",")) {
      String[] pair = part.split("=", 2);
      if (pair.length < 2) continue;
      if (pair[0].equals("t") && t.isEmpty()) t = pair[1];
      if (pair[0].equals("v1") && signatures.size() < 8) signatures.add(pair[1]);
    }
    if (!t.matches("[0-9]{1,12}")) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((t + ".").getBytes(UTF_8));
    StringBuilder expected = new StringBuilder();
    for (byte one : mac.doFinal(body)) expected.append(String.format("%02x", one));
    boolean isSigned = false;
    for (String signature : signatures) {
      isSigned |= MessageDigest.isEqual(signature.getBytes(UTF_8), expected.toString().getBytes(UTF_8));
    }
    return isSigned && Math.abs(nowS - Long.parseLong(t)) <= toleranceS;
  }
}
`

export const CSHARP = String.raw`using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public static class Webhooks
{
    // body: the bytes as they arrived, before any code parses them
    public static bool IsGenuine(byte[] body, string header, string secret, long toleranceS, long nowS)
    {
        if (string.IsNullOrEmpty(secret)) return false; // with a secret that is missing, anybody could sign
        var parts = (header ?? "").Split(',')
            .Select(part => part.Split(new[] { '=' }, 2)).Where(pair => pair.Length == 2).ToList();
        var t = parts.Where(pair => pair[0] == "t").Select(pair => pair[1]).FirstOrDefault() ?? "";
        if (!Regex.IsMatch(t, @"\A[0-9]{1,12}\z")) return false;
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
        {
            var digest = hmac.ComputeHash(Encoding.UTF8.GetBytes(t + ".").Concat(body).ToArray());
            var expected = Encoding.UTF8.GetBytes(BitConverter.ToString(digest).Replace("-", "").ToLowerInvariant());
            var isSigned = parts.Where(pair => pair[0] == "v1").Take(8)
                .Select(pair => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(pair[1]), expected))
                .ToList().Contains(true);
            return isSigned && Math.Abs(nowS - long.Parse(t)) <= toleranceS;
        }
    }
}
`
