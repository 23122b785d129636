// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {GroupedReads} from "../src/GroupedReads.sol";
import {HostileToken} from "./mocks/HostileToken.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

/// @dev What the constructor returns is the code of the contract that is created.
contract GroupedReadsTest is Test {
    MockUSDC internal token = new MockUSDC(6);
    address internal owner = makeAddr("owner");

    function setUp() public {
        token.mint(owner, 7);
    }

    function read(address target, bytes memory data) internal pure returns (bytes memory) {
        return abi.encodePacked(target, uint16(data.length), data);
    }

    function balanceOf(address target) internal view returns (bytes memory) {
        return read(target, abi.encodeCall(MockUSDC.balanceOf, (owner)));
    }

    function answerTo(bytes memory reads) internal returns (bytes memory) {
        return address(new GroupedReads(reads)).code;
    }

    function test_noReadsHaveAnAnswer() public {
        assertEq(answerTo(""), hex"01");
    }

    function test_codeAndViewsAreToldInTheOrderOfTheReads() public {
        bytes memory reads = abi.encodePacked(read(owner, ""), balanceOf(address(token)), read(address(token), ""));
        assertEq(answerTo(reads), abi.encodePacked(hex"0100", uint256(0), hex"01", uint256(7), hex"01", uint256(0)));
    }

    function test_aTargetThatRevertsOrHasNoCodeIsMarkedAndChangesNoOther() public {
        HostileToken bad = new HostileToken();
        bytes memory unknown = read(address(bad), hex"12345678");
        bytes memory reads = abi.encodePacked(unknown, balanceOf(owner), balanceOf(address(token)));
        bytes memory answer = answerTo(reads);
        assertEq(answer.length, 1 + 3 * 33);
        assertEq(answer[1], bytes1(0));
        assertEq(answer[34], bytes1(0));
        assertEq(answer[67], bytes1(uint8(1)));
        assertEq(answer[99], bytes1(uint8(7)));
    }

    /// @dev A loop, a revert with one word, answers of two words and of half a word: with gas for some such reads and no more.
    function test_aHostileTargetIsMarkedAndChangesNoOther() public {
        bytes[4] memory codes = [bytes(hex"5b600056"), hex"60206000fd", hex"60406000f3", hex"60106000f3"];
        for (uint256 index = 0; index < codes.length; index++) {
            address hostile = address(uint160(0xbad0 + index));
            vm.etch(hostile, codes[index]);
            bytes memory reads = abi.encodePacked(balanceOf(hostile), balanceOf(hostile), balanceOf(address(token)));
            bytes memory answer = this.withGas{gas: 2_000_000}(reads);
            assertEq(answer.length, 1 + 3 * 33);
            assertEq(answer[1], bytes1(0));
            assertEq(answer[34], bytes1(0));
            assertEq(answer[67], bytes1(uint8(1)));
            assertEq(answer[99], bytes1(uint8(7)));
        }
    }

    function test_nothingIsAskedWithTooLittleGas() public {
        bytes memory reads = balanceOf(address(token));
        bytes memory answer = this.withGas{gas: 250_000}(reads);
        assertEq(answer[1], bytes1(0));
    }

    function withGas(bytes memory reads) external returns (bytes memory) {
        return answerTo(reads);
    }
}
