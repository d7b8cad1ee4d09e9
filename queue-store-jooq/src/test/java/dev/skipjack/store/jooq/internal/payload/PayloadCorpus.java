package dev.skipjack.store.jooq.internal.payload;

import java.util.List;
import java.util.stream.Stream;

/** Payloads that Java and SQL must both accept, and payloads that both must reject. */
public final class PayloadCorpus {

  private PayloadCorpus() {}

  /** Returns payloads that must be accepted. */
  public static List<String> good() {
    return List.of(
        "[" + "1,".repeat(PayloadLimits.LARGEST / 2 - 2) + "1]",
        "[\"" + "[{1e999".repeat(30_000) + "\"]",
        "[\"" + "\\\"".repeat(120_000) + "\", 1e100]",
        "[".repeat(100) + "]".repeat(100),
        "[" + "{},".repeat(200) + "{\"a\":[]}]",
        "9".repeat(309),
        "-" + "9".repeat(309) + "." + "9".repeat(1_000),
        "1e308",
        "1E+0308",
        "10e307",
        "0.1e308",
        "1e-1000",
        "-1.5e-999",
        "1e0000000000000000000001",
        "0e-0",
        "[" + "0e300,".repeat(2_000) + "0]",
        "[" + "-0.0e308,".repeat(2_000) + "0]",
        "[" + "0.000e2,".repeat(2_000) + "0]",
        "[0e308,-0e308,0.00e-998]",
        "[1" + ",0e-1000".repeat(522) + "]",
        "[1e00200,\t1e-200\n,{\"e\":\r1e200}]",
        "\"\\\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"\uD83D\uDE00\"",
        "\"a\\\"b\\\\\"",
        "{\"a\":[1,{\"b\":null}]}",
        " \t\r\n{ \"\" : [ ] , \"b\" : -0.5E-3 } ",
        "\"\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "false");
  }

  /** Returns numbers that have very many digits when written without an exponent. */
  public static List<String> hugeNumbers() {
    return List.of(
        "9".repeat(310),
        "0." + "9".repeat(1_001),
        "1" + "0".repeat(300) + "e9",
        "1e100000",
        "[1,{\"a\":[1e-1001]}]",
        "[\"\\\\\",1e309]",
        "1e0000309",
        "1e" + "9".repeat(131_073),
        "1e-" + "9".repeat(131_073),
        "1e309",
        "-1E+400",
        "1e99999999999999999999",
        "1e-1001",
        "1e-99999999999999999999",
        "0e400",
        "0e-1001",
        "12.5e308");
  }

  /** Returns JSON whose text jsonb rejects or that is not valid Unicode. */
  public static List<String> textThatJsonbRefuses() {
    return List.of(
        "\"\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00x\"",
        "\"\\ud800\\ud800\"",
        "{\"a\\u0000\":1}",
        "\"\uD800\"",
        "\"\uD83D" + "\\ude00\"",
        "\"\\ud83d" + "\uDE00\"");
  }

  /** Returns texts that are not JSON. */
  public static List<String> noJson() {
    return List.of(
        "",
        " ",
        "{",
        "[",
        "\"",
        "{]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "[,]",
        "01",
        "-",
        "+1",
        ".5",
        "5.",
        "1e",
        "1e+",
        "NaN",
        "Infinity",
        "nul",
        "nulll",
        "tru",
        "'a'",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12G4\"",
        "\"tab\t\"",
        "1 2",
        "{} {}",
        "[1]]",
        "\u00A0 1",
        "/**/1");
  }

  /** Returns documents with more levels than the limit; some have no closing brackets. */
  public static List<String> tooDeep() {
    return List.of(
        "[".repeat(101) + "]".repeat(101),
        "{\"a\":[".repeat(50) + "{}" + "]}".repeat(50),
        "[" + "[],".repeat(300) + "[".repeat(100) + "]".repeat(100) + "]",
        "[".repeat(5_000) + "]".repeat(5_000),
        "[".repeat(100_000));
  }

  /** Returns small documents that become huge, because jsonb writes numbers without exponents. */
  public static List<String> hugeWrittenOut() {
    return List.of(
        "[1" + ",1e-1000".repeat(32_767) + "]",
        "[1" + ",1e100".repeat(6_000) + "]",
        "[1" + ",1e-1000".repeat(523) + "]",
        "[1" + ",0e-1000".repeat(523) + "]",
        "{\"a\":[" + "[1E+300],".repeat(2_000) + "1]}");
  }

  public static List<String> tooLarge() {
    String fits = "\"" + "x".repeat(PayloadLimits.LARGEST - 2) + "\"";
    return List.of(fits + " ", fits.replaceFirst("x", "ü"), "[" + " ".repeat(1_000_000) + "]");
  }

  public static Stream<String> refused() {
    return Stream.of(
            hugeNumbers(),
            textThatJsonbRefuses(),
            noJson(),
            tooDeep(),
            hugeWrittenOut(),
            tooLarge())
        .flatMap(List::stream);
  }
}
