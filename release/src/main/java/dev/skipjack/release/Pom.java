package dev.skipjack.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A POM as it is written, without what it inherits. */
final class Pom {

  private final Element project;

  private Pom(Element project) {
    this.project = project;
  }

  static Pom read(Path file) throws IOException {
    try {
      return new Pom(
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement());
    } catch (ParserConfigurationException | SAXException unreadable) {
      throw new IOException("%s is not a readable POM.".formatted(file), unreadable);
    }
  }

  boolean has(String element) {
    return !texts(element).isEmpty();
  }

  boolean hasParent() {
    return has("parent");
  }

  String artifactId() {
    return texts("artifactId").get(0);
  }

  List<String> modules() {
    return texts("modules", "module");
  }

  /** Returns the artifactIds that a BOM manages. */
  List<String> managed() {
    return texts("dependencyManagement", "dependencies", "dependency", "artifactId");
  }

  /** Returns the texts of all elements at a path of names below the project, except blank texts. */
  private List<String> texts(String... path) {
    List<Element> found = List.of(project);
    for (String name : path) {
      List<Element> next = new ArrayList<>();
      found.forEach(element -> next.addAll(children(element, name)));
      found = next;
    }
    return found.stream().map(Node::getTextContent).map(String::strip).filter(Pom::said).toList();
  }

  private static boolean said(String text) {
    return !text.isEmpty();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    NodeList nodes = parent.getChildNodes();
    for (int i = 0; i < nodes.getLength(); i++) {
      if (nodes.item(i) instanceof Element child && child.getTagName().equals(name)) {
        children.add(child);
      }
    }
    return children;
  }
}
