package dev.skipjack.examples.demo;

import java.io.PrintWriter;

/**
 * Where the demo writes.
 *
 * @param out the report
 * @param err everything else
 * @param json whether the report is one line of JSON, for programs; there is no progress then
 * @param terminal whether {@code err} is a terminal, on which the progress renews one line
 */
public record DemoOutput(PrintWriter out, PrintWriter err, boolean json, boolean terminal) {

  void tell(String sentence) {
    err.println(sentence);
    err.flush();
  }

  LiveLine.Style style() {
    if (json) {
      return LiveLine.Style.NONE;
    }
    return terminal ? LiveLine.Style.TERMINAL : LiveLine.Style.PLAIN;
  }
}
