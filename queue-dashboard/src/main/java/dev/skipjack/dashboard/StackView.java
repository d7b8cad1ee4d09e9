package dev.skipjack.dashboard;

import dev.skipjack.api.operations.HandlerStack;
import java.util.List;
import java.util.stream.Collectors;

/** Shows where the handler of a running job is, as its worker sampled it. */
final class StackView {

  private static final int LONGEST_PLACE = 120;
  private static final int LONGEST_FRAMES = 40_000;

  /** What follows {@code at} in a frame of the JDK, with or without its module. */
  private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");

  private StackView() {}

  /** Returns the innermost frame that is not of the JDK, and all frames in an element to open. */
  static Node brief(HandlerStack stack, Visit visit) {
    String frames = stack.stack();
    if (frames == null) {
      return Html.span("faint").add(problem(stack));
    }
    return Html.tag("details")
        .style("frames")
        .add(Html.tag("summary").style("mono").add(place(frames)), whole(stack, visit));
  }

  /** Returns all frames, and since when they have been the same. */
  static Node whole(HandlerStack stack, Visit visit) {
    String frames = stack.stack();
    return Html.all(
        Html.tag("p")
            .style("remark")
            .add("Sampled by the worker; the same since ")
            .add(visit.times().ago(stack.since()))
            .add("."),
        frames == null
            ? Html.tag("p").add(problem(stack))
            : Html.tag("pre").set("tabindex", "0").set("aria-label", "Stack").add(lines(frames)));
  }

  /** Returns the frames without the tabs before them. */
  private static String lines(String frames) {
    return Ui.cut(frames, LONGEST_FRAMES)
        .lines()
        .map(String::strip)
        .collect(Collectors.joining("\n"));
  }

  private static String problem(HandlerStack stack) {
    return stack.problem() == null ? "The stack is hidden." : Ui.cut(stack.problem(), 500);
  }

  static String place(String frames) {
    List<String> lines =
        frames
            .lines()
            .map(String::strip)
            .filter(line -> line.startsWith("at "))
            .map(line -> line.substring("at ".length()))
            .toList();
    return lines.stream()
        .filter(line -> JDK.stream().noneMatch(line::startsWith))
        .findFirst()
        .or(() -> lines.stream().findFirst())
        .map(StackView::shortened)
        .map(line -> Ui.cut(line, LONGEST_PLACE))
        .orElse("Stack");
  }

  /** Returns a frame without the class loader, the module and the package. */
  private static String shortened(String frame) {
    int file = frame.indexOf('(');
    String method = file < 0 ? frame : frame.substring(0, file);
    String name = method.substring(method.lastIndexOf('/') + 1);
    int type = name.lastIndexOf('.', name.lastIndexOf('.') - 1);
    return name.substring(type + 1) + (file < 0 ? "" : " " + frame.substring(file));
  }
}
