package dev.skipjack.dashboard;

import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.spi.GroupKey;
import dev.skipjack.api.spi.Names;
import java.util.function.Predicate;

/** Changes of limits and of groups. */
final class LimitChanges {

  static final String GROUP = "group";
  static final String WEIGHT = "weight";
  static final String MOST = "most";

  /** Separates a queue, whose name cannot contain it, from a group. */
  private static final String SEPARATOR = " ";

  private LimitChanges() {}

  static Link set(Visit visit) {
    String target = Session.target(visit.request());
    String name = Names.requireLimit(target.isEmpty() ? LimitForm.name(visit.request()) : target);
    visit.admin().limit(name, LimitForm.read(visit.request()));
    return limits(Note.LIMIT_SET, visit);
  }

  static Link remove(Visit visit) {
    return change(name -> visit.admin().removeLimit(name), Note.LIMIT_REMOVED, visit);
  }

  static Link reset(Visit visit) {
    return change(name -> visit.admin().resetLimit(name), Note.LIMIT_RESET, visit);
  }

  private static Link change(Predicate<String> change, Note done, Visit visit) {
    boolean found = change.test(Session.target(visit.request()));
    return limits(found ? done : Note.NO_LIMIT, visit);
  }

  private static Link limits(Note note, Visit visit) {
    return visit.link(LimitsScreen.PATH).with("note", note.code());
  }

  /** Returns the target of a form. Without a group, the form has a field for it. */
  static String target(String queue, String group) {
    return queue + SEPARATOR + group;
  }

  private record Group(String queue, String name) {

    static Group of(Visit visit) {
      String[] target = Session.target(visit.request()).split(SEPARATOR, 2);
      String queue = QueueScreen.required(target[0], visit);
      String named = target.length == 2 ? target[1] : "";
      return new Group(
          queue,
          GroupKey.require(
              named.isEmpty() ? visit.request().field(GROUP).orElse("").strip() : named));
    }
  }

  static Link pauseGroup(Visit visit) {
    Group group = Group.of(visit);
    visit.admin().pauseGroup(group.queue(), group.name());
    return groups(group, Note.GROUP_PAUSED, visit);
  }

  static Link resumeGroup(Visit visit) {
    Group group = Group.of(visit);
    visit.admin().resumeGroup(group.queue(), group.name());
    return groups(group, Note.GROUP_RESUMED, visit);
  }

  static Link configureGroup(Visit visit) {
    Group group = Group.of(visit);
    int weight = LimitForm.number(visit.request(), WEIGHT, "The weight").orElse(1);
    visit
        .admin()
        .configureGroup(
            group.queue(),
            group.name(),
            new GroupSettings(
                weight, LimitForm.number(visit.request(), MOST, "The number of running jobs")));
    return groups(group, Note.GROUP_CONFIGURED, visit);
  }

  private static Link groups(Group group, Note note, Visit visit) {
    return GroupsScreen.page(group.queue(), visit).with("note", note.code());
  }
}
