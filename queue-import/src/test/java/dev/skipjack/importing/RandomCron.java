package dev.skipjack.importing;

import java.util.List;
import java.util.Random;

/** Makes cron expressions of six fields, some of which are invalid. */
final class RandomCron {

  private static final List<String> MONTHS = List.of("JAN", "MAR", "JUL", "DEC");
  private static final List<String> DAYS = List.of("SUN", "TUE", "FRI", "SAT");

  private final Random random;
  private final int firstDay;
  private final int lastDay;

  RandomCron(Random random, int firstDay, int lastDay) {
    this.random = random;
    this.firstDay = firstDay;
    this.lastDay = lastDay;
  }

  String expression() {
    String time = "0 " + field(0, 59, List.of()) + " " + field(0, 23, List.of()) + " ";
    String month = " " + field(1, 12, MONTHS) + " ";
    return switch (random.nextInt(6)) {
      case 0 -> time + special("L", "L-3", "15W", "LW", "1,L", "L,3") + month + "?";
      case 1, 2 -> time + field(1, 28, List.of()) + month + "?";
      case 3 -> time + "?" + month + special("L", "6L", "3#2", "FRI#1", "MONL", "2,4L", "6#5");
      default -> time + "?" + month + field(firstDay, lastDay, DAYS);
    };
  }

  private String special(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private String field(int min, int max, List<String> names) {
    if (random.nextInt(4) == 0) {
      return "*";
    }
    String part = part(min, max, names);
    return random.nextInt(3) == 0 ? part + "," + part(min, max, names) : part;
  }

  private String part(int min, int max, List<String> names) {
    boolean named = !names.isEmpty() && random.nextInt(3) == 0;
    String text = random.nextInt(6) == 0 ? "*" : one(min, max, names, named);
    if (!text.equals("*") && random.nextBoolean()) {
      text += "-" + one(min, max, names, named);
    }
    return random.nextInt(3) == 0 ? text + "/" + (1 + random.nextInt(7)) : text;
  }

  private String one(int min, int max, List<String> names, boolean named) {
    return named
        ? names.get(random.nextInt(names.size()))
        : String.valueOf(min + random.nextInt(max - min + 1));
  }
}
