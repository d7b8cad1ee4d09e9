package dev.skipjack.demo;

import java.io.PrintWriter;

/**
 * The destinations of the demo's output.
 *
 * @param out receives the report
 * @param err receives everything else
 * @param json whether the report is one line of JSON, for programs, without progress messages
 */
public record DemoOutput(PrintWriter out, PrintWriter err, boolean json) {

  void note(String sentence) {
    err.println(sentence);
    err.flush();
  }
}
