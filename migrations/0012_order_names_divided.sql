-- Divides names as the trigger of 0006 does. For names in Latin letters it reads a third fewer rows and takes a third less time.

DROP TRIGGER order_names_divided;

-- Walks each of four texts, the old names and the new ones, from its end to its beginning. A step passes plain characters at
-- once, and stops at the character before them (at). If that is a mark, a word begins behind it, which ends with the character
-- named last. Its place counts the words of an order number before those of a customer. A word that stays writes nothing.
CREATE TRIGGER order_names_divided BEFORE INSERT ON order_names_inbox
BEGIN
  INSERT INTO order_words_inbox (order_seq, word, is_new)
  SELECT new.order_seq, word, max(is_new) FROM (
    WITH RECURSIVE
      walk (is_new, is_name, text, plain, marks, at, last) AS (
        SELECT is_new, is_name, text, plain, marks, length(rtrim(text, plain)), length(text)
        FROM (
          SELECT 0 AS is_new, 0 AS is_name, substr(new.old_order_number, 1, 255) AS text
          UNION ALL SELECT 0, 1, substr(new.old_customer_name, 1, 255)
          UNION ALL SELECT 1, 0, substr(new.order_number, 1, 255)
          UNION ALL SELECT 1, 1, substr(new.customer_name, 1, 255)
        ), (
          SELECT 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' AS plain,
            ' !#$%&()*+,-./:<=>?@[]^_`{|}~' || char(9, 10, 13, 34, 59, 92, 160, 161, 171, 183, 187, 191, 1470, 1548, 8201,
              8208, 8209, 8211, 8212, 8220, 8221, 8222, 8226, 8230, 8239, 12288, 12289, 12539, 65288, 65289, 65292, 65293,
              65295) AS marks
        )
        WHERE text IS NOT NULL
        UNION ALL
        SELECT is_new, is_name, text, plain, marks, length(rtrim(substr(text, 1, at - 1), plain)),
          iif(instr(marks, substr(text, at, 1)), at - 1, last)
        FROM walk WHERE at > 0
      )
    SELECT is_new, is_name,
      substr(text, at + 1, instr(replace(substr(text, at + 1), char(13), char(10)) || char(10), char(10)) - 1) AS word,
      row_number() OVER longest_first AS place, sum(NOT is_name) OVER longest_first AS of_number
    FROM walk
    WHERE at > 0 AND instr(marks, substr(text, at, 1)) AND octet_length(substr(text, at + 1, last - at)) > 1
    WINDOW longest_first AS (PARTITION BY is_new ORDER BY is_name, last - at DESC, at)
  )
  WHERE iif(is_name, place - max(of_number - 2, 0) <= 4, place <= 2)
  GROUP BY word COLLATE NOCASE HAVING min(is_new) = max(is_new) ORDER BY max(is_new);
  SELECT RAISE(IGNORE);
END;
