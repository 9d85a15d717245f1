"""The package as such."""

import unittest

import loadline


class Package(unittest.TestCase):
    def test_has_an_exception_of_its_own(self):
        self.assertTrue(issubclass(loadline.Error, RuntimeError))


if __name__ == "__main__":
    unittest.main()
