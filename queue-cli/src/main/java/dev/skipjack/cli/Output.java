package dev.skipjack.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints the results of a command: tables for people, or one line of JSON for programs. In both
 * cases, remarks go to standard error.
 */
final class Output {

  private static final long PROGRESS_NANOS = 200_000_000;
  private static final String CLEAR_LINE = "\u001b[K";

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean json;
  private final Style style;
  private final boolean terminal;
  private long progressAt;

  Output(PrintWriter out, PrintWriter err, boolean json, Style style, boolean terminal) {
    this.out = out;
    this.err = err;
    this.json = json;
    this.style = style;
    this.terminal = terminal;
  }

  boolean isJson() {
    return json;
  }

  /** Returns a word in its colour, padded to a width. */
  String cell(String word, int width) {
    return style.cell(word) + " ".repeat(Math.max(0, width - word.length()));
  }

  Style style() {
    return style;
  }

  boolean isTerminal() {
    return terminal;
  }

  /** Takes over the terminal for a view that fills its screen. */
  Terminal openTerminal() {
    return Terminal.open(out);
  }

  /** Reports a list. */
  <T> void list(String name, Fields<T> fields, List<T> rows) {
    list(name, fields, rows, Map.of());
  }

  /**
   * Reports a list.
   *
   * @param name the name of the list in the JSON
   * @param more additional members of the JSON
   */
  <T> void list(
      String name, Fields<T> fields, List<T> rows, Map<String, ? extends @Nullable Object> more) {
    if (json) {
      Map<String, @Nullable Object> document = new LinkedHashMap<>();
      document.put(name, rows.stream().map(fields::members).toList());
      document.putAll(more);
      document(document);
    } else {
      lines(fields.table(rows, style));
    }
  }

  /**
   * Reports a list, or prints a remark if it is empty.
   *
   * @return the exit code
   */
  <T> int listOrNote(String name, Fields<T> fields, List<T> rows, String none) {
    if (json || !rows.isEmpty()) {
      list(name, fields, rows);
    }
    if (rows.isEmpty()) {
      note(none);
    }
    return rows.isEmpty() ? ExitCodes.NOTHING_MATCHED : ExitCodes.DONE;
  }

  /** Prints a table with a title, as a part of a longer text. */
  <T> void section(String title, Fields<T> fields, List<T> rows) {
    line("");
    line(style.heading(title));
    lines(fields.table(rows, style));
  }

  /** Prints a record, alone or as part of a longer text. */
  <T> void record(Fields<T> fields, T row) {
    lines(fields.record(row, style));
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  private void lines(List<String> lines) {
    lines.forEach(out::println);
    out.flush();
  }

  void document(Map<String, ? extends @Nullable Object> document) {
    line(Json.line(document));
  }

  /** Reports the result of the command, as a sentence or as JSON. */
  void done(String sentence, Map<String, ? extends @Nullable Object> members) {
    if (json) {
      document(members);
    } else {
      line(Cell.safe(sentence));
    }
  }

  /** Prints a remark to standard error. */
  void note(String sentence) {
    err.println(Cell.safe(sentence));
    err.flush();
  }

  /** Shows the progress of the command a few times a second, if it runs on a terminal. */
  void progress(Supplier<String> state) {
    long now = System.nanoTime();
    if (terminal && (progressAt == 0 || now - progressAt > PROGRESS_NANOS)) {
      progressAt = now;
      err.print("\r" + state.get() + CLEAR_LINE);
      err.flush();
    }
  }

  void endProgress() {
    if (progressAt != 0) {
      err.print("\r" + CLEAR_LINE);
      err.flush();
    }
  }
}
