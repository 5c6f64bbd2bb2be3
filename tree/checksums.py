"""Checksums: whether the digits and letters of a number hold together, as its issuer makes them.

Every function takes the number bare and in upper case, without spaces, dashes and dots, and never raises for what it is given, as
long as that has the length and the kind of characters that its rule in `pii_rules` asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_DIHEDRAL = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 2, 3, 4, 0, 6, 7, 8, 9, 5),
    (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7),
    (4, 0, 1, 2, 3, 9, 5, 6, 7, 8),
    (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2),
    (7, 6, 5, 9, 8, 2, 1, 0, 4, 3),
    (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)
_SHIFTS = [tuple(range(10))]  # where each digit goes in each place
for _ in range(7):
    _SHIFTS.append(tuple((1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit] for digit in _SHIFTS[-1]))
_DOUBLED = str.maketrans("0123456789", "0246813579")  # twice a digit, both digits of it added up

_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_RESIDENT = "10X98765432"
_CURP = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
_RFC = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ"
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def is_luhn(digits: str) -> bool:
    """The sum of cards: every second digit from the right counts twice."""
    return sum(map(int, digits[::-2] + digits[-2::-2].translate(_DOUBLED))) % 10 == 0


def is_iban(number: str) -> bool:
    """ISO 7064, modulo 97, letters counted from ten."""
    return "02" <= number[2:4] <= "98" and int("".join(str(int(one, 36)) for one in number[4:] + number[:4])) % 97 == 1


def is_verhoeff(digits: str) -> bool:
    """Verhoeff's sum, as Aadhaar has it."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = _DIHEDRAL[check][_SHIFTS[place % 8][int(digit)]]
    return check == 0


def is_cpf(digits: str) -> bool:
    """Brazil's number of a person: two check digits, and not one digit eleven times."""
    return len(set(digits)) > 1 and all(_eleven(digits[:n], range(n + 1, 1, -1)) == int(digits[n]) for n in (9, 10))


def is_cnpj(digits: str) -> bool:
    """Brazil's number of a company."""
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return len(set(digits)) > 1 and all(_eleven(digits[:n], weights[13 - n :]) == int(digits[n]) for n in (12, 13))


def is_cuit(digits: str) -> bool:
    """Argentina's tax number."""
    rest = -_weighted(digits[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return rest == int(digits[10])


def is_my_number(digits: str) -> bool:
    """Japan's number of a person."""
    return _eleven(digits[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) == int(digits[11])


def is_rrn(digits: str) -> bool:
    """Korea's number of a resident: a day of birth and a sum. From October 2020 on there is no sum any more."""
    if not is_day(digits[2:4], digits[4:6]):
        return False
    if digits[6] in "3478" and digits[:4] >= "2010":
        return True
    more = 2 if digits[6] in "5678" else 0
    return (11 - _weighted(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11 + more) % 10 == int(digits[12])


def is_resident(number: str) -> bool:
    """China's number of a resident: a day of birth and a sum modulo 11, where X is ten."""
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(number[:17]))
    return "18" <= number[6:8] <= "20" and is_day(number[10:12], number[12:14]) and number[17] == _RESIDENT[total % 11]


def is_dni(number: str) -> bool:
    """Spain's number of a citizen (DNI) or a foreigner (NIE): its last letter follows from the digits."""
    digits = number[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number[-1] == _DNI[int(digits) % 23]


def is_nir(number: str) -> bool:
    """France's number of social security: its key is what lacks to 97. Corsica writes letters."""
    digits = number.replace("2A", "19").replace("2B", "18")
    return digits.isdigit() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_codice_fiscale(number: str) -> bool:
    """Italy's tax code: its last letter follows from the others, which count differently in odd places."""
    values = [ord(one) - 65 if one.isalpha() else int(one) for one in number[:15]]
    total = sum(_ODD[value] for value in values[::2]) + sum(values[1::2])
    return total % 26 == ord(number[15]) - 65


def is_steuer_id(digits: str) -> bool:
    """Germany's tax number: ISO 7064 modulo 11, 10, and of the first ten digits one or more stands twice or thrice."""
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    most = max(digits[:10].count(digit) for digit in set(digits[:10]))
    return (11 - product) % 10 == int(digits[10]) and most in (2, 3)


def is_curp(number: str) -> bool:
    """Mexico's number of a person."""
    total = sum(_CURP.index(one) * (18 - place) for place, one in enumerate(number[:17]))
    return is_day(number[6:8], number[8:10]) and -total % 10 == int(number[17])


def is_rfc(number: str) -> bool:
    """Mexico's tax number, of a person (13) or a company (12)."""
    padded = number.rjust(13)
    check = -sum(_RFC.index(one) * (13 - place) for place, one in enumerate(padded[:12])) % 11
    return is_day(padded[6:8], padded[8:10]) and padded[12] == ("A" if check == 10 else str(check))


def is_day(month: str, day: str) -> bool:
    """Whether two digits and two digits are a day of some year."""
    return 1 <= int(month) <= 12 and 1 <= int(day) <= _DAYS[int(month)]


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _eleven(digits: str, weights: Iterable[int]) -> int:
    """The check digit that eleven gives: what lacks to it, and 0 for ten and eleven."""
    rest = _weighted(digits, tuple(weights)) % 11
    return 0 if rest < 2 else 11 - rest
