package dev.skipjack.dashboard;

import dev.skipjack.api.operations.WorkerInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a worker has reported. Their names have no characters that JSON escapes, so
 * patterns suffice to read them; a report in another form is ignored.
 *
 * @param version the version of the library; null if it was not reported
 * @param slots how many jobs of each queue the worker runs at a time
 */
record ReportedSettings(@Nullable String version, Map<String, Integer> slots) {

  private static final Pattern VERSION =
      Pattern.compile("\"version\"\\s*:\\s*\"([^\"\\\\]{1,60})\"");
  private static final Pattern SLOTS = Pattern.compile("\"concurrency\"\\s*:\\s*\\{([^{}]*)}");
  private static final Pattern SLOT = Pattern.compile("\"([^\"\\\\]+)\"\\s*:\\s*([0-9]{1,7})");

  static ReportedSettings of(WorkerInfo worker) {
    String settings = worker.settings() == null ? "" : worker.settings();
    Matcher version = VERSION.matcher(settings);
    Map<String, Integer> slots = new LinkedHashMap<>();
    Matcher all = SLOTS.matcher(settings);
    if (all.find()) {
      Matcher one = SLOT.matcher(all.group(1));
      while (one.find()) {
        slots.put(one.group(1), Integer.parseInt(one.group(2)));
      }
    }
    return new ReportedSettings(version.find() ? version.group(1) : null, slots);
  }
}
